"""The dual graph for networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica.geometry.export._missing import imported

if TYPE_CHECKING:
    from plica.geometry._complex import Complex


def to_networkx(cx: Complex) -> Any:
    """Nodes are cells (``size``, ``region``), edges shared facets (``layers``: those whose folds separate the two cells)."""
    networkx = imported("networkx")
    graph = networkx.Graph()
    sizes, regions = cx.sizes().tolist(), cx.regions.tolist()
    graph.add_nodes_from((i, {"size": s, "region": r}) for i, (s, r) in enumerate(zip(sizes, regions, strict=True)))
    sides = np.sort(cx.facet_cells, axis=1)
    inner = np.flatnonzero((sides[:, 0] >= 0) & (sides[:, 0] != sides[:, 1]))
    for (a, b), layer in zip(sides[inner].tolist(), cx.facet_layer[inner].tolist(), strict=True):
        if graph.has_edge(a, b):
            graph.edges[a, b]["layers"] = sorted({*graph.edges[a, b]["layers"], layer})
        else:
            graph.add_edge(a, b, layers=[layer])
    return graph
