"""Domains from options."""

import numpy as np
import pytest

import plica
from plica.cli._domain import choose_domain, load_points, parse_numbers
from plica.errors import InvalidDomain, InvalidInput


def net(n_inputs: int) -> plica.Network:
    return plica.random_network([n_inputs, 4, 1], seed=0)


def test_two_inputs_are_looked_at_in_the_square_of_side_two():
    domain, where = choose_domain(net(2))
    assert (domain.low.tolist(), domain.high.tolist()) == ([-1, -1], [1, 1])
    assert where == "[-1, 1]²"


def test_a_box_option_sets_every_coordinate():
    domain, _ = choose_domain(net(1), box="-3,0.5")
    assert (domain.low.tolist(), domain.high.tolist()) == ([-3], [0.5])


def test_many_inputs_without_a_slice_are_refused_with_the_ways_out():
    with pytest.raises(InvalidDomain) as caught:
        choose_domain(net(5))
    assert "--through" in caught.value.hint and "--segment" in caught.value.hint and "--seed" in caught.value.hint


def test_a_seed_gives_an_orthonormal_plane_through_the_origin_and_says_so():
    domain, where = choose_domain(net(5), seed=3)
    corners = domain.to_input([[0, 0], [1, 0], [0, 1]])
    assert np.allclose(corners[0], 0)
    assert np.allclose(corners[1:] @ corners[1:].T, np.eye(2))
    assert "random plane" in where and "seed 3" in where
    again, _ = choose_domain(net(5), seed=3)
    assert (again.to_input([[1, 0]]) == corners[1]).all()


def test_through_goes_through_the_three_rows():
    rows = np.random.default_rng(0).normal(size=(4, 5))
    domain, where = choose_domain(net(5), points=rows, through="3,0,2")
    assert np.allclose(domain.to_input([[0, 0], [1, 0], [0, 1]]), rows[[3, 0, 2]])
    assert "rows 3, 0, 2" in where


def test_segment_ends_at_the_two_rows():
    rows = np.random.default_rng(0).normal(size=(4, 5))
    domain, _ = choose_domain(net(5), points=rows, segment="1,2")
    assert np.allclose(domain.to_input([[0], [1]]), rows[[1, 2]])


def test_data_without_indices_uses_its_first_rows():
    rows = np.random.default_rng(0).normal(size=(3, 5))
    assert choose_domain(net(5), points=rows)[0].dimension == 2
    assert choose_domain(net(5), points=rows[:2])[0].dimension == 1


@pytest.mark.parametrize(
    "options",
    [
        {"through": "0,1"},
        {"through": "0,1,x"},
        {"through": "0,1,9"},
        {"through": "0,1,-1"},
        {"segment": "0.5,1"},
        {"box": "1"},
        {"through": "0,1,2", "segment": "0,1"},
        {"through": "0,1,2", "box": "-1,1"},
    ],
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(InvalidInput):
        choose_domain(net(5), points=np.eye(5), **options)


def test_indices_without_data_ask_for_data():
    with pytest.raises(InvalidInput, match="needs rows of data"):
        choose_domain(net(5), through="0,1,2")


def test_images_are_flattened(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((3, 1, 2, 3), dtype=np.float32))
    assert load_points(tmp_path / "x.npy", net(6)).shape == (3, 6)


def test_a_file_with_pickled_objects_is_refused_unread(tmp_path):
    np.save(tmp_path / "x.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InvalidInput, match="no plain array of numbers"):
        load_points(tmp_path / "x.npy", net(2))


@pytest.mark.parametrize("content", [b"", b"hello", b"\x93NUMPY\x01\x00"])
def test_a_broken_file_is_refused(tmp_path, content):
    (tmp_path / "x.npy").write_bytes(content)
    with pytest.raises(InvalidInput):
        load_points(tmp_path / "x.npy", net(2))


@pytest.mark.parametrize("array", [np.zeros((3, 4)), np.zeros(()), np.zeros((0, 2)), np.array(["a", "b"])])
def test_an_array_of_another_shape_or_kind_is_refused(tmp_path, array):
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(InvalidInput):
        load_points(tmp_path / "x.npy", net(2))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InvalidInput, match="does not exist"):
        load_points(tmp_path / "nothing.npy", net(2))


def test_numbers_are_counted():
    with pytest.raises(InvalidInput, match="--box takes 2 numbers"):
        parse_numbers("1,2,3", "--box", count=2, kind=float)
