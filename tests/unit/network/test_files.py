"""Saving and loading: bit for bit, and clear words about everything else."""

import json
import os

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file
from torch import nn

from plica.errors import InvalidInput, InvalidNetwork
from plica.network import (
    Add,
    Builder,
    Clip,
    Concat,
    Conv,
    Gather,
    Linear,
    Max,
    Pad,
    Permute,
    Rectifier,
    Reshape,
    Scale,
    WindowSum,
    from_torch,
    load,
    random_network,
    save,
)


def one_of_everything():
    """A network with every operation, numbers at the ends of float64, and awkward names."""
    rng = np.random.default_rng(0)
    b = Builder((2, 5, 6), name="a <b>name</b> \x1b[31m \u202e")
    conv = Conv(rng.normal(size=(4, 1, 3, 2)), rng.normal(size=4), (1, 2), ((1, 0), (0, 2)), (1, 1), 2)
    x = b.add(conv, name="conv\n")
    x = b.add(Scale(np.array([5e-324, -0.0, 1.7e308, 0.1]).reshape(4, 1, 1), rng.normal(size=(4, 1, 1))), x)
    x = b.add(Rectifier(np.array(0.1)), x)
    x = b.add(Pad(((0, 0), (1, 0), (0, 1))), x)
    x = b.add(WindowSum(1, (0, 2), (3, 5)), x)
    x = b.add(Permute((2, 0, 1)), x)
    x = b.add(Reshape((5, 8)), x)
    x = b.add(Gather(np.array([[3, 1], [0, 39]])), x)
    y = b.add(Clip(-0.1, 1 / 3), x)
    z = b.add(Add(), x, y)
    z = b.add(Concat(1), z, y)
    z = b.add(Max(np.array([[0, 1, 2], [3, 7, -1]])), z)
    z = b.add(Linear(rng.normal(size=(3, 2)), rng.normal(size=3)), z)
    z = b.add(Rectifier(rng.normal(size=3)), z, name="prelu")
    return b.build(z)


def assert_identical(a, b):
    assert a.name == b.name
    assert len(a.nodes) == len(b.nodes)
    for m, n in zip(a.nodes, b.nodes, strict=True):
        assert (m.name, m.inputs, m.shape, type(m.op), m.op.settings()) == (
            n.name,
            n.inputs,
            n.shape,
            type(n.op),
            n.op.settings(),
        )
        assert m.op.arrays().keys() == n.op.arrays().keys()
        for key, array in m.op.arrays().items():
            other = n.op.arrays()[key]
            assert array.shape == other.shape
            assert array.tobytes() == other.tobytes()


def test_every_operation_comes_back_bit_for_bit(tmp_path):
    network = one_of_everything()
    save(network, tmp_path / "net.safetensors")
    assert_identical(load(tmp_path / "net.safetensors"), network)


def test_a_converted_module_comes_back(tmp_path):
    module = nn.Sequential(
        nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 2)
    ).eval()
    network = from_torch(module, example_input=torch.zeros(1, 3, 8, 8))
    save(network, tmp_path / "net.safetensors")
    assert_identical(load(str(tmp_path / "net.safetensors")), network)


def test_arrays_of_a_loaded_network_can_be_written_to(tmp_path):
    save(random_network([2, 3, 1], seed=0), tmp_path / "net.safetensors")
    for node in load(tmp_path / "net.safetensors").nodes:
        assert all(a.flags.writeable and a.flags.aligned and a.flags.c_contiguous for a in node.op.arrays().values())


def test_the_file_is_ordinary_safetensors(tmp_path):
    network = random_network([2, 3, 1], seed=0)
    save(network, tmp_path / "net.safetensors")
    tensors = load_file(tmp_path / "net.safetensors")
    assert (tensors["1.weight"] == network.nodes[1].op.weight).all()


def test_saving_leaves_one_file_and_replaces_the_old_one(tmp_path):
    path = tmp_path / "net.safetensors"
    for seed in (0, 1):
        save(random_network([2, 3, 1], seed=seed), path)
    assert os.listdir(tmp_path) == ["net.safetensors"]
    assert_identical(load(path), random_network([2, 3, 1], seed=1))


def test_saving_into_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be written"):
        save(random_network([2, 3, 1], seed=0), tmp_path / "nowhere" / "net.safetensors")


def test_saving_needs_a_network_and_the_right_ending(tmp_path):
    with pytest.raises(InvalidInput, match="Linear"):
        save(nn.Linear(2, 2), tmp_path / "net.safetensors")
    with pytest.raises(InvalidInput, match=r"does not end in \.safetensors"):
        save(random_network([2, 3, 1], seed=0), tmp_path / "net.pt")


@pytest.mark.parametrize("ending", [".pt", ".pth", ".pkl", ".PT", ".ckpt", ".bin"])
def test_pickles_are_refused_without_being_opened(tmp_path, ending):
    with pytest.raises(InvalidNetwork, match="never unpickles") as caught:
        load(tmp_path / f"model{ending}")
    assert "plica.save(plica.from_torch(model)" in caught.value.hint


def test_unknown_endings_are_refused(tmp_path):
    with pytest.raises(InvalidNetwork, match="of no known kind"):
        load(tmp_path / "model.h5")


def test_a_missing_file_or_a_folder_is_named(tmp_path):
    with pytest.raises(InvalidInput, match="there is no file"):
        load(tmp_path / "none.safetensors")
    with pytest.raises(InvalidInput, match="there is no file"):
        load(tmp_path / "none.onnx")
    (tmp_path / "folder.safetensors").mkdir()
    with pytest.raises(InvalidInput, match="there is no file"):
        load(tmp_path / "folder.safetensors")
    with pytest.raises(InvalidInput, match=r"cannot be read|there is no file"):
        load("a\0b.safetensors")


def test_a_state_dict_is_refused_with_the_way_to_convert_it(tmp_path):
    save_file({"0.weight": np.ones((2, 2), np.float32)}, tmp_path / "model.safetensors")
    with pytest.raises(InvalidNetwork, match="it has no graph") as caught:
        load(tmp_path / "model.safetensors")
    assert "load it into its module" in caught.value.hint


def test_a_newer_schema_is_refused(tmp_path):
    save_file({}, tmp_path / "m.safetensors", metadata={"plica": json.dumps({"schema": 2, "name": "", "nodes": []})})
    with pytest.raises(InvalidNetwork, match="schema 1"):
        load(tmp_path / "m.safetensors")


def test_the_size_limit_is_checked_first(tmp_path):
    save(random_network([2, 3, 1], seed=0), tmp_path / "net.safetensors")
    with pytest.raises(InvalidNetwork, match="the limit is 100"):
        load(tmp_path / "net.safetensors", max_bytes=100)
