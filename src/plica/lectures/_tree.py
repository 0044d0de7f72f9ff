"""A drawing of a tree of functions from the network that was built for it: a box for each node, with its units and parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plica.construct import Branch, Construction

TREE = "tree-of-functions"
_LEAF, _ROW, _BOX = 58, 74, 40  # pixels: width for each variable, from level to level, height of a box


@dataclass(frozen=True)
class TreeNode:
    """A node where it is drawn: in units of variables from the left, in levels from below."""

    across: float
    level: int
    n_units: int
    n_parameters: int
    feeds: tuple[tuple[float, int], ...]


@dataclass(frozen=True)
class TreeDiagram:
    """The nodes of a tree, children first.

    Examples
    --------
    >>> picture = tree_diagram()
    >>> len(picture.boxes), picture.n_inputs, len({node.level for node in picture.boxes})
    (7, 8, 3)
    """

    name: str
    n_parameters: int
    n_inputs: int
    boxes: tuple[TreeNode, ...]

    def svg(self) -> str:
        """The drawing as an SVG element; colors are those of the page."""
        top = max(node.level for node in self.boxes)
        width, height = _LEAF * self.n_inputs, _ROW * (top + 1)

        def place(across: float, level: int) -> tuple[float, float]:
            return _LEAF * (across + 0.5), _ROW * (top - level) + _BOX / 2 + 2

        lines, shapes = [], []
        for node in self.boxes:
            x, y = place(node.across, node.level)
            for feed in node.feeds:
                a, b = place(*feed)
                lines.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{a:.1f}" y2="{b:.1f}" class="wire"/>')
            half = _LEAF * 0.92
            corner = f'x="{x - half:.1f}" y="{y - _BOX / 2:.1f}"'
            shapes.append(
                f'<rect {corner} width="{2 * half:.1f}" height="{_BOX}" rx="5" class="box depth-0"/>'
                f'<text x="{x:.1f}" y="{y - 3:.1f}" text-anchor="middle">h: {node.n_units} units</text>'
                f'<text x="{x:.1f}" y="{y + 13:.1f}" text-anchor="middle" class="size">{node.n_parameters:,}</text>'
            )
        for i in range(self.n_inputs):
            x, y = place(i, 0)
            shapes.append(
                f'<rect x="{x - 15:.1f}" y="{y - 13:.1f}" width="30" height="26" rx="13" class="box"/>'
                f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">x{i + 1}</text>'
            )
        label = f"{self.name}: {self.n_parameters:,} parameters, drawn from the network"
        body = "".join(lines + shapes)
        return f'<svg class="diagram" viewBox="0 0 {width} {height - _BOX + 24}" role="img" aria-label="{label}">{body}</svg>'


def tree_diagram(n_inputs: int = 8, resolution: int = 4) -> TreeDiagram:
    """The tree of one smooth function of two variables over 8 of them, as :func:`plica.construct.tree` builds it."""
    from plica.construct import balanced_tree, cos, sin, tree, variables

    u, v = variables(2)
    root = balanced_tree(0.5 + 0.5 * sin(3 * u + 1) * cos(2 * v - 0.5), n_inputs)
    built = tree(root, resolution)
    nodes = tuple(_placed(root, built.certificate.built))  # type: ignore[union-attr]
    return TreeDiagram(TREE, sum(node.n_parameters for node in nodes), n_inputs, nodes)


def _placed(root: Branch, built: dict[int, Construction]) -> Iterator[TreeNode]:
    """Every node in the middle above what it reads."""
    places: dict[int, tuple[float, int]] = {}
    for node in root.nodes():
        feeds = tuple((float(side), 0) if isinstance(side, int) else places[id(side)] for side in (node.left, node.right))
        places[id(node)] = (sum(across for across, _ in feeds) / 2, 1 + max(level for _, level in feeds))
        part = built[id(node)]
        yield TreeNode(*places[id(node)], part.n_units, part.n_weights, feeds)
