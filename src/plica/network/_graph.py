"""A network's graph as a picture for notebooks: one row for each node, arcs where an edge passes others over."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from plica._palette import OKABE_ITO

if TYPE_CHECKING:
    from plica.network._network import Network

MANY = 48  # rows; of longer networks only the table is shown
_ROW, _WIDTH, _ARC = 24, 250, 14
_FOLD, _AFFINE = OKABE_ITO["orange"], OKABE_ITO["sky"]


def graph_svg(network: Network) -> str:
    """The graph as an SVG element with a text alternative; empty for very long networks.

    Examples
    --------
    >>> import plica
    >>> svg = graph_svg(plica.random_network([2, 3, 1], seed=0))
    >>> svg.count("<rect"), svg[:43]
    (4, '<svg role="img" aria-label="4 nodes, 1 of t')
    """
    nodes = network.nodes
    if len(nodes) > MANY:
        return ""
    parts, reach = [], 0
    for i, node in enumerate(nodes):
        top = i * _ROW + 4
        shape = "×".join(map(str, node.shape))
        color = _FOLD if node.op in network.folds else _AFFINE if node.inputs else "none"
        parts.append(
            f'<rect x="4" y="{top}" width="{_WIDTH}" height="{_ROW - 8}" rx="3" fill="{color}" fill-opacity="0.3" '
            f'stroke="currentColor" stroke-opacity="0.4"/><text x="10" y="{top + 12}" font-size="11" fill="currentColor">'
            f"{escape(_label(node.op.kind, node.name))}</text>"
            f'<text x="{_WIDTH - 2}" y="{top + 12}" font-size="11" text-anchor="end" fill="currentColor">{shape}</text>'
        )
        for source in node.inputs:
            if source == i - 1:
                d = f"M{4 + _WIDTH / 2:.0f} {top - 8}v8"
            else:
                bend, fall = min(_ARC * (i - source), 90), (i - source) * _ROW
                reach = max(reach, bend)
                d = f"M{4 + _WIDTH} {source * _ROW + _ROW / 2:.0f}c{bend} 0 {bend} {fall} 0 {fall}"
            parts.append(f'<path d="{d}" fill="none" stroke="currentColor" stroke-opacity="0.6"/>')
    text = f"{len(nodes)} nodes, {len(network.folds)} of them folds, from the input to the output"
    width, height = _WIDTH + 8 + reach, len(nodes) * _ROW + 4
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return f'<svg role="img" aria-label="{text}" {size}><title>{text}</title>{"".join(parts)}</svg>'


def _label(kind: str, name: str) -> str:
    """The name, with the kind in front where it does not say it."""
    return name if name.startswith(kind) else f"{kind} {name}".rstrip()
