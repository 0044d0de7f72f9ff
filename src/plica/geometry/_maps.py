"""The affine maps of all cells at once, in floating point with bounds of their errors."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.exact import Dyadic
from plica.geometry._affine_maps import Bounded
from plica.geometry._budget import tick
from plica.geometry.domains import Box
from plica.geometry.signs._cell_maps import CellMaps, cell_maps, values_at
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._precision import Precision
from plica.geometry.values._tensors import EPS, UNDERFLOW, Tensor
from plica.network import Network

_ENTRIES = 2**18  # of the largest tensor on the cells handled at a time: what a cache holds; neighbors share their ancestors


def bounded_maps(exact: ExactMap, cells: Array) -> Bounded:
    """Columns (cells, d + 1, outputs) over the domain's parameters, and a bound of the error of each in the 2-norm."""
    return _output(cell_maps(exact, Precision.DOUBLE), exact.network, exact.domain.dimension, cells)


def bounded_input_maps(network: Network, exact: ExactMap, cells: Array) -> Bounded:
    """The same over the whole input space."""
    return _output(CellMaps(_whole(network, exact), Precision.DOUBLE), network, network.n_inputs, cells)


def recomputed_outputs(exact: ExactMap, hyperplanes: Array, cells: Array) -> Bounded:
    """The network at vertices, given by their hyperplanes and a cell of each, from the maps of cells alone."""
    maps, network, dimension = cell_maps(exact, Precision.DOUBLE), exact.network, exact.domain.dimension
    step = max(1, _ENTRIES // ((dimension + 1) * max(node.size for node in network.nodes)))
    values, errors = np.empty((len(cells), network.n_outputs)), np.empty(len(cells))
    order = np.argsort(cells, kind="stable")  # neighbors share their ancestors
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        for a in range(0, len(cells), step):
            some = order[a : a + step]
            p, p_error, is_known = maps.positions(hyperplanes[some])
            (x, error), which = maps.output(cells[some])
            at, which = (len(some), dimension + 1, network.n_outputs), which.reshape(-1)
            values[some], bound = values_at(p, p_error, x[which].reshape(at), error[which])
            errors[some] = np.where(is_known, np.sqrt((bound**2).sum(axis=1)) * (1 + 1e-12), np.inf)
    known = np.isfinite(errors) & np.isfinite(values).all(axis=1)
    return Bounded(np.where(known[:, None], values, 0.0), np.where(known, errors, np.inf))


def recomputed_positions(exact: ExactMap, hyperplanes: Array) -> Bounded:
    """Vertices in parameters, given by their hyperplanes, from the maps of cells alone."""
    maps, dimension = cell_maps(exact, Precision.DOUBLE), exact.domain.dimension
    step = max(1, _ENTRIES // ((dimension + 1) * max(node.size for node in exact.network.nodes)))
    values, errors = np.empty((len(hyperplanes), dimension)), np.empty(len(hyperplanes))
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        for a in range(0, len(hyperplanes), step):
            p, error, is_known = maps.positions(hyperplanes[a : a + step])
            x = p[:, :-1] / p[:, -1:]
            slip = (error[:, :-1] + np.abs(x) * error[:, -1:]) / (np.abs(p[:, -1:]) - error[:, -1:]) + EPS * np.abs(x) + UNDERFLOW
            values[a : a + step] = x
            errors[a : a + step] = np.where(is_known, np.sqrt((slip**2).sum(axis=1)) * (1 + 1e-6), np.inf)
    known = np.isfinite(errors) & np.isfinite(values).all(axis=1)
    return Bounded(np.where(known[:, None], values, 0.0), np.where(known, errors, np.inf))


def exact_input_map(network: Network, exact: ExactMap, cell: int) -> Dyadic:
    """The map of one cell over the whole input space, in integers."""
    return _whole(network, exact).output(cell)


def _whole(network: Network, exact: ExactMap) -> ExactMap:
    """The cells of a complex with maps over the input space."""
    n = network.n_inputs
    return ExactMap(network, Box([-1.0] * n, [1.0] * n), exact.layers)


def _output(maps: CellMaps, network: Network, dimension: int, cells: Array) -> Bounded:
    step = max(1, _ENTRIES // ((dimension + 1) * max(node.size for node in network.nodes)))
    tick(8 * len(cells) * (dimension + 1) * (network.n_outputs + 1))
    values, errors = np.empty((len(cells), dimension + 1, network.n_outputs)), np.empty((len(cells), dimension + 1))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for a in range(0, len(cells), step):
            (x, error), which = maps.output(np.asarray(cells[a : a + step]))
            values[a : a + step] = x[which.reshape(-1)].reshape(-1, dimension + 1, network.n_outputs)
            errors[a : a + step] = error[which.reshape(-1)]
    return Bounded(values, np.where(np.isfinite(errors), errors, np.inf))


def scaled_bounds(tensor: Tensor, exponent: int) -> Bounded:
    """Values and error bounds in units of 2**exponent as they are."""
    if not exponent:
        return Bounded(tensor.values, tensor.error)
    with np.errstate(over="ignore", under="ignore"):
        return Bounded(np.ldexp(tensor.values, exponent), np.ldexp(tensor.error, exponent) + UNDERFLOW)
