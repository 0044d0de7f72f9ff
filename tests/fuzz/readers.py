"""Every reader of files, with a few files that it takes."""

import gzip
import io
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import structures

import plica
from plica.network import Linear, Network, Rectifier


@dataclass(frozen=True)
class Reader:
    """``seeds`` makes files that ``read`` takes; ``read`` gets the path of a file; ``change`` keeps a file well formed."""

    suffix: str
    seeds: Callable[[Path], list[bytes]]
    read: Callable[[Path], object]
    change: Callable[[bytes, Random], bytes] | None = None


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
    from plica.sweeps import Sweep, run

    run(Sweep(_task, grid={"n": [1, 2]}), store=folder / "s.db")
    return [(folder / "s.db").read_bytes()]


def _task(n: int) -> dict[str, object]:
    return {"n": n, "text": "abc", "row": np.arange(3.0)}


def read_store(path: Path) -> object:
    from plica.sweeps import Store, table_of

    with Store(path, read_only=True) as store:
        return [table_of(store, experiment).to_json() for experiment, _ in store.experiments()]


def images_seeds(folder: Path) -> list[bytes]:
    """A file with every kind of layer that is read from ONNX."""
    from onnx import TensorProto, helper, numpy_helper

    constants = {
        "w": np.ones((2, 1, 3, 3), np.float32),
        "t": np.ones((2, 3, 2, 2), np.float32),
        "s": np.array([1, 1, 2, 1], np.float32),
        "shape": np.array([0, -1]),
        "g": np.ones((2, 36), np.float32),
        "axes": np.array([1]),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], group=2, pads=[1, 1, 1, 1]),
        helper.make_node("MaxPool", ["a"], ["b"], kernel_shape=[2, 2], strides=[1, 1]),
        helper.make_node("ConvTranspose", ["b", "t"], ["c"], strides=[1, 1]),
        helper.make_node("Resize", ["c", "", "s"], ["d"], mode="linear"),
        helper.make_node("AveragePool", ["d"], ["e"], kernel_shape=[2, 1], strides=[2, 1]),
        helper.make_node("Clip", ["e"], ["f"]),
        helper.make_node("Reshape", ["f", "shape"], ["h"]),
        helper.make_node("Slice", ["h", "axes", "shape", "axes"], ["i"]),
        helper.make_node("Concat", ["h", "h"], ["k"], axis=1),
        helper.make_node("LeakyRelu", ["h"], ["l"], alpha=0.1),
        helper.make_node("Gemm", ["l", "g"], ["y"], transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ("b", 2, 4, 3))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(v, k) for k, v in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return [*saved("n.onnx")(folder), model.SerializeToString()]


def packed_seeds(folder: Path) -> list[bytes]:
    return [gzip.compress(content, 1) for content in images_seeds(folder)]


def read_message(path: Path) -> object:
    from plica.web._app import _message

    return _message(path.read_bytes().decode("utf-8", "replace"), 10_000)


def read_cluster(path: Path) -> object:
    from plica._batch import configuration

    return configuration(path)


def section_seeds(folder: Path) -> list[bytes]:
    from plica.report._model_parts import Parts, Section

    Parts(folder / "parts", "a").keep(Section("s", "S", "One sentence."))
    return [(folder / "parts" / "s.json").read_bytes()]


def read_section(path: Path) -> object:
    from plica.report._model_parts import Parts

    (path.parent / "parts" / "s.json").write_bytes(path.read_bytes())
    return Parts(path.parent / "parts", "a").find("s")


def read_line(folder: Path) -> object:
    """The loss between two networks, from the parts that a folder keeps, or computed."""
    from plica.landscape import loss_line

    first = Network.sequential(
        1, [Linear(np.array([[1.0], [-1.0]]), np.array([0.5, 0.25])), Rectifier(), Linear(np.ones((1, 2)))]
    )
    last = Network.sequential(1, [Linear(np.array([[2.0], [1.0]]), np.array([-0.5, 0.0])), Rectifier(), Linear(np.eye(1, 2))])
    return loss_line(first, last, np.array([[-1.0], [0.5]]), np.array([0.0, 1.0]), n_cells=1, store=folder)([0.0, 0.5])


def line_seeds(folder: Path) -> list[bytes]:
    read_line(folder / "line")
    return [path.read_bytes() for path in (folder / "line").glob("*.npz")]


def read_line_part(path: Path) -> object:
    (part,) = (path.parent / "line").glob("*.npz")
    part.write_bytes(path.read_bytes())
    return read_line(part.parent)


VNNLIB = b"""; a property
(declare-const X_0 Real)
(declare-const X_1 Real)
(declare-const Y_0 Real)
(declare-const Y_1 Real)
(assert (>= X_0 -1.5e-1)) (assert (<= X_0 0.5))
(assert (and (>= X_1 -1) (<= X_1 1)))
(assert (or (and (<= Y_0 Y_1)) (and (>= Y_0 3.0) (<= Y_1 2))))
"""


def read_vnnlib(path: Path) -> object:
    from plica.robust import read_vnnlib

    return read_vnnlib(path)


def read_data_table(path: Path) -> object:
    from plica._csv import read_csv

    return read_csv(path, 2)


READERS = {
    "npy": Reader(".npy", npy_seeds, read_npy, structures.npy_file),
    "complex": Reader(".npz", complex_seeds, read_complex),
    "safetensors": Reader(".safetensors", saved("n.safetensors"), plica.load, structures.safetensors_file),
    "onnx": Reader(".onnx", images_seeds, plica.load, structures.onnx_file),
    "packed onnx": Reader(".onnx.gz", packed_seeds, plica.load, structures.packed(structures.onnx_file)),
    "perceptron": Reader(".safetensors", perceptron_seeds, read_perceptron, structures.safetensors_file),
    "checkpoint": Reader(".safetensors", checkpoint_seeds, read_checkpoint, structures.safetensors_file),
    "model configuration": Reader(".json", config_seeds, read_config, structures.json_file),
    "byte-pair encoding": Reader(".json", bpe_seeds, read_bpe, structures.json_file),
    "vnnlib": Reader(".vnnlib", lambda _: [VNNLIB], read_vnnlib),
    "packed vnnlib": Reader(".vnnlib.gz", lambda _: [gzip.compress(VNNLIB, 1)], read_vnnlib),
    "store": Reader(".db", store_seeds, read_store),
    "message": Reader(".json", lambda _: [b'{"id": 1, "do": "picture", "state": "v=1"}'], read_message, structures.json_file),
    "cluster": Reader(".toml", lambda _: [b"system = 'slurm'\njobs = 3\n[options]\ncores = 1\n"], read_cluster),
    "section": Reader(".json", section_seeds, read_section, structures.json_file),
    "table": Reader(".csv", lambda _: [b"a,b,label\n0,1,-1\n2,3,1\n4,4,1\n", b"1;2\n3;4\n5;6\n"], read_table),
    "table of data": Reader(".csv", lambda _: [b"a,b,kind\n0,1,no\n2,3,yes\n", b"1;2;0.5\n3;4;1e-3\n"], read_data_table),
    "idx": Reader(".idx", lambda _: [bytes([0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4])], read_idx),
    "state": Reader(".txt", state_seeds, read_state),
    "part of a line": Reader(".npz", line_seeds, read_line_part),
    "planetoid": Reader(".bin", planetoid_seeds, read_planetoid),
}
