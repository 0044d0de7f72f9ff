"""Every reader of files, with a few files that it takes."""

import io
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import plica
from plica.network import Linear, Network, Rectifier


@dataclass(frozen=True)
class Reader:
    """``seeds`` makes files that ``read`` takes; ``read`` gets the path of a file."""

    suffix: str
    seeds: Callable[[Path], list[bytes]]
    read: Callable[[Path], object]


@cache
def network() -> Network:
    return Network.sequential(2, [Linear(np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([0.5, 0.0])), Rectifier()])


def npy_seeds(_: Path) -> list[bytes]:
    files = []
    for array in (
        np.arange(6.0).reshape(3, 2),
        np.arange(4, dtype=np.int32),
        np.array("text"),
        np.asfortranarray(np.ones((2, 3))),
    ):
        np.save(file := io.BytesIO(), array)
        files.append(file.getvalue())
    return files


def read_npy(path: Path) -> object:
    from plica._npy import read_npy

    return read_npy(path)


def complex_seeds(folder: Path) -> list[bytes]:
    files = []
    for i, domain in enumerate((plica.Box([-1.0, -1.0], [1.0, 1.0]), plica.Segment([-1.0, 0.0], [1.0, 1.0]))):
        plica.decompose(network(), domain).save(path := folder / f"{i}.npz")
        files.append(path.read_bytes())
    return files


def read_complex(path: Path) -> object:
    from plica.geometry import _storage

    return _storage._read(path)  # not decomposed again: a file may hold any small network


def saved(name: str) -> Callable[[Path], list[bytes]]:
    def seeds(folder: Path) -> list[bytes]:
        if name.endswith(".onnx"):
            from plica.network import to_onnx

            to_onnx(network(), path := folder / name)
        else:
            plica.save(network(), path := folder / name)
        return [path.read_bytes()]

    return seeds


def perceptron_seeds(folder: Path) -> list[bytes]:
    from plica.construct import Perceptron, save_perceptron

    save_perceptron(
        Perceptron.shallow([[1.0], [1.0]], [0.0, -0.5], [1.0, 2.0], activation="step"), path := folder / "p.safetensors"
    )
    return [path.read_bytes()]


def read_perceptron(path: Path) -> object:
    from plica.construct import load_perceptron

    return load_perceptron(path)


def checkpoint_seeds(folder: Path) -> list[bytes]:
    import torch

    from plica.learn import fit

    x = torch.linspace(-1, 1, 8)[:, None]
    fit(torch.nn.Linear(1, 1), (x, x), steps=2, checkpoint=folder / "c.safetensors")
    return [(folder / "c.safetensors").read_bytes()]


def read_checkpoint(path: Path) -> object:
    from plica.learn._checkpoint import read_checkpoint

    return read_checkpoint(path)


def config_seeds(folder: Path) -> list[bytes]:
    from plica.models.sets import DeepSets, DeepSetsConfig

    DeepSets(DeepSetsConfig(2, 1, d_hidden=4)).save(folder / "model")
    return [(folder / "model" / "config.json").read_bytes()]


def read_config(path: Path) -> object:
    from plica.models import load_model

    target = path.parent / "model" / "config.json"
    target.write_bytes(path.read_bytes())
    return load_model(target.parent)


def bpe_seeds(folder: Path) -> list[bytes]:
    from plica.models.text import BytePairEncoding

    BytePairEncoding.train(["a banana and a bandana " * 3], n_tokens=270).save(path := folder / "b.json")
    return [path.read_bytes()]


def read_bpe(path: Path) -> object:
    from plica.models.text import BytePairEncoding

    return BytePairEncoding.load(path)


def read_table(path: Path) -> object:
    from plica.web._table import read_table

    return read_table(path.read_bytes())


def read_idx(path: Path) -> object:
    from plica.data._idx import read_idx

    return read_idx(path.read_bytes())


def read_state(path: Path) -> object:
    from plica.web._state import State

    return State.from_query(path.read_bytes().decode("utf-8", "replace"))


def state_seeds(_: Path) -> list[bytes]:
    from plica.web._state import State

    return [State.from_query("v=1").to_query().encode(), b"v=1&widths=8-8&window=-4,4,-4,4&points=0", b"v=1&seed=3&step=100"]


def planetoid_seeds(_: Path) -> list[bytes]:
    import pickle  # only to write: the reader under test walks the instructions without running them

    return [pickle.dumps(np.eye(2, dtype=np.int32), protocol=2), pickle.dumps(defaultdict(list, {0: [1, 2], 1: [0]}), protocol=2)]


def read_planetoid(path: Path) -> object:
    from plica.data._planetoid import read_planetoid

    return read_planetoid(path.read_bytes())


def store_seeds(folder: Path) -> list[bytes]:
    from plica.sweeps import Sweep

    sweep = Sweep(lambda n, seed: {"n": n}, {"n": [1, 2]}, seed=0, name="fuzz", store=folder / "s.sqlite")
    sweep.run()
    return [(folder / "s.sqlite").read_bytes()]


READERS = {
    "npy": Reader(".npy", npy_seeds, read_npy),
    "complex": Reader(".npz", complex_seeds, read_complex),
    "safetensors": Reader(".safetensors", saved("n.safetensors"), plica.load),
    "onnx": Reader(".onnx", saved("n.onnx"), plica.load),
    "perceptron": Reader(".safetensors", perceptron_seeds, read_perceptron),
    "checkpoint": Reader(".safetensors", checkpoint_seeds, read_checkpoint),
    "model configuration": Reader(".json", config_seeds, read_config),
    "byte-pair encoding": Reader(".json", bpe_seeds, read_bpe),
    "table": Reader(".csv", lambda _: [b"a,b,label\n0,1,-1\n2,3,1\n4,4,1\n", b"1;2\n3;4\n5;6\n"], read_table),
    "idx": Reader(".idx", lambda _: [bytes([0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4])], read_idx),
    "state": Reader(".txt", state_seeds, read_state),
    "planetoid": Reader(".bin", planetoid_seeds, read_planetoid),
}
