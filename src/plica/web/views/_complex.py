"""Cells in space: the exact complex of a network with three inputs, facet by facet."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from plica._types import Array
from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Box, Budget, Space, SpaceComplex, decompose
from plica.network import Network, random_network
from plica.theory import regions
from plica.web._layers import linear_layers, network_of
from plica.web._limits import Limits
from plica.web._scene import Scene
from plica.web._state import State
from plica.web.views._sheet import Sheet

MAX_CELLS = 2_500
"""Cells that a page turns smoothly."""
FEW_NEURONS = 10
N_COLORS = 7
CUBE = Box([-1.0] * 3, [1.0] * 3)


def sheet(state: State, scene: Callable[[], Scene], limits: Limits) -> Sheet:
    network, cx = _fitting(state, limits)
    made = Sheet(
        "The cells of a random network with three inputs and these layers, over the cube from −1 to 1. Drag or use the "
        "arrow keys to turn it, Enter to let it turn; explode it, slice it, let it fade."
    )
    shown = "-".join(map(str, network.widths[1:-1]))
    is_whole = network.widths[1:-1] == state.widths
    made.show(cx.n_cells, "cells", "exact", "in the cube" if is_whole else f"in the cube, of layers {shown}: more do not fit")
    corners, offsets = _polygons(cx)
    centers = np.array([cx.center(cell) for cell in range(cx.n_cells)])
    made.extra["solid"] = {
        "vertices": made.keep(cx.vertices),
        "corners": made.keep(corners.astype(np.uint32)),
        "offsets": made.keep(offsets.astype(np.uint32)),
        "cells": made.keep(cx.facet_cells.astype(np.int32)),
        "layers": made.keep(cx.facet_layer.astype(np.int32)),
        "centers": made.keep(centers),
        "colors": made.keep(_coloring(cx).astype(np.uint32)),
    }
    _readings(made, state, network, cx)
    return made


def _fitting(state: State, limits: Limits) -> tuple[Network, SpaceComplex]:
    """The network and its complex; where that has too many cells, with half as many neurons in each layer, and so on."""
    budget = Budget(max_cells=MAX_CELLS, max_seconds=limits.max_seconds / 2, max_bytes=limits.max_job_bytes)
    widths = state.widths
    while True:
        network = _network(state, widths)
        try:
            cx = decompose(network, CUBE, budget=budget)
        except BudgetExceeded as error:
            if max(widths) == 1:
                raise InvalidInput(
                    f"this network has more than {MAX_CELLS:,} cells in the cube.", hint="use fewer layers"
                ) from error
            widths = tuple(max(1, n // 2) for n in widths)
            continue
        assert isinstance(cx, SpaceComplex)
        return network, cx


def _network(state: State, widths: tuple[int, ...]) -> Network:
    if state.is_smooth:
        raise InvalidInput("tanh has no cells.", hint="choose ReLU")
    init = state.init if state.init in ("he-normal", "glorot-normal", "normal", "orthogonal", "torch-default") else "he-normal"
    bias = None if init == "torch-default" else state.bias
    layers = linear_layers(random_network((3, *widths, 1), seed=state.seed, weights=init, bias_std=bias))
    return network_of(layers, state.activations)


def _polygons(cx: SpaceComplex) -> tuple[Array, Array]:
    """The corners of each facet in the order in which they lie around it."""
    corners, offsets = np.array(cx.facet_vertices), np.asarray(cx.facet_offsets)
    for a, b in pairwise(offsets.tolist()):
        points = cx.vertices[corners[a:b]]
        points = points - points.mean(axis=0)
        across = np.linalg.svd(points, full_matrices=False)[2][:2]
        x, y = across @ points.T
        corners[a:b] = corners[a:b][np.argsort(np.arctan2(y, x))]
    return corners, offsets


def _coloring(cx: SpaceComplex) -> Array:
    """A small number for each cell that its neighbors do not have, where seven are enough."""
    colors = np.full(cx.n_cells, -1)
    around = cx.adjacency().tolil().rows
    for cell in range(cx.n_cells):
        used = {int(colors[other]) for other in around[cell]}
        colors[cell] = next((k for k in range(N_COLORS) if k not in used), cell % N_COLORS)
    return colors


def _readings(made: Sheet, state: State, network: Network, cx: SpaceComplex) -> None:
    n_vertices, n_edges, n_polygons, n_parts = cx.n_faces
    made.read("euler", "vertices − edges + facets − cells", "=", 1, n_vertices - n_edges + n_polygons - n_parts)
    is_relu = set(state.activations) == {"relu"}
    if is_relu:
        bound = float(regions.raghu_2017_upper_bound(network.widths))
        made.read("bound", "cells, beside Raghu's bound", "<=", bound, cx.n_cells)
    if len(network.widths) == 3 and is_relu and network.n_neurons <= FEW_NEURONS:
        whole = decompose(network, Space(3), budget=Budget(max_cells=20_000, max_seconds=4))
        made.read("zaslavsky", "cells of the whole space", "=", regions.zaslavsky(network.n_neurons, 3), whole.n_cells)
    estimate = regions.hanin_rolnick_2019_regions_estimate(network.n_neurons, 3)
    made.read("estimate", "cells, about N³ / 6 in a large cube", "~", float(estimate), cx.n_cells)
