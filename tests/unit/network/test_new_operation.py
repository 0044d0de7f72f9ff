"""A new fold is one class: the engines, regions, exact maps and slices of the complex learn it from its own methods.

The class below is all that is written for absolute values as an operation of their own. A fold that ships needs three files: its
own in ``network/operations``, a line of the lowering that makes it from torch and ONNX, and its test.
"""

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import plica
from plica.geometry import Box, Segment, decompose
from plica.network import EntryForms, Fold, Linear, Network, Rectifier
from plica.network.operations import Pieces, Shape


@dataclass(frozen=True, eq=False)
class Abs(Fold):
    """|x|; state 1 where x > 0."""

    kind: ClassVar[str] = "abs"

    def output_shape(self, *shapes: Shape) -> Shape:
        return shapes[0]

    def state(self, x: np.ndarray) -> np.ndarray:
        return (x > 0).astype(np.int8)

    def pieces(self, states: np.ndarray, shape: Shape) -> Pieces:
        return Pieces(factor=np.where(states == 1, 1.0, -1.0), rounds=False)

    def forms(self, codes: np.ndarray, size: int) -> EntryForms:
        return EntryForms(codes, codes)

    def decided(self, round_: int, states: np.ndarray, is_positive: np.ndarray) -> np.ndarray:
        return np.asarray(is_positive).astype(np.int8)

    def walls(self, states: np.ndarray, size: int) -> EntryForms:
        neurons = np.broadcast_to(np.arange(size), states.shape)
        return EntryForms(neurons, neurons, sign=np.where(states == 1, 1, -1))

    def bends(self, neurons: np.ndarray, shape: Shape) -> np.ndarray:
        return np.ones(len(neurons), bool)

    def equal_entries(self, numbers: list[np.ndarray], shape: Shape) -> np.ndarray:
        return numbers[0]

    def lipschitz(self) -> float:
        return 1.0

    def largest(self, sizes: np.ndarray) -> np.ndarray:
        return sizes


def _network(fold: Fold, inputs: int, seed: int) -> Network:
    rng = np.random.default_rng(seed)
    weights = [rng.integers(-3, 4, shape) / 4 for shape in ((5, inputs), (5, 5), (2, 5))]
    biases = [rng.integers(-2, 3, 5) / 4, rng.normal(size=5), np.zeros(2)]
    layers = [Linear(w, b) for w, b in zip(weights, biases, strict=True)]
    return Network.sequential(inputs, [layers[0], fold, layers[1], fold, layers[2]])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_a_fold_of_a_stranger_is_cut_like_the_one_that_ships(inputs: int, seed: int) -> None:
    networks = [_network(fold, inputs, seed) for fold in (Abs(), Rectifier(np.array(-1.0)))]
    box = Box([-1.0] * inputs, [1.0] * inputs) if inputs > 1 else Segment([-1.0], [1.0])
    own, shipped = (decompose(network, box) for network in networks)
    assert (own.n_cells, own.n_regions) == (shipped.n_cells, shipped.n_regions) and own.n_cells > 1
    assert np.allclose(np.sort(own.sizes()), np.sort(shipped.sizes()), rtol=1e-9, atol=1e-12)
    point = np.full(inputs, 0.3)
    (a, c), (b, d) = (cx.cells[cx.cell_at(point)].affine_map for cx in (own, shipped))
    assert np.allclose(a, b) and np.allclose(c, d)


def test_only_the_network_tells_folds_apart() -> None:
    """No ``isinstance`` on a kind of fold outside ``plica.network``: who asks a fold asks its methods."""
    root = Path(plica.__file__).parent
    found = []
    for path in root.rglob("*.py"):
        if path.relative_to(root).parts[0] in {"network", "testing"}:  # the oracle knows the definition of each, and nothing else
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
                names = {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
                if names & {"Rectifier", "Clip", "Max"}:
                    found.append(f"{path.relative_to(root)}:{node.lineno}")
    assert found == []
