"""Data sets by name: what is generated, what is found, what is refused."""

import gzip
import hashlib
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import plica.data
from plica.data import DatasetDamaged, DatasetUnavailable
from plica.data._entries import ENTRIES, Entry
from plica.data._files import File
from plica.data._load import EMBEDDED
from plica.data._resolve import locate, places
from plica.errors import InvalidInput

GENERATED = [name for name in EMBEDDED if name != "digits"]


def real(name: str) -> None:
    """Skip unless the published files are on this machine."""
    if locate(ENTRIES[name]) is None:
        pytest.skip(f"the files of {name} are not on this machine; PLICA_DATA may point at them")


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """A machine without any data."""
    monkeypatch.delenv("PLICA_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("plica.data._resolve.SYSTEM_FOLDERS", (str(tmp_path / "system"),))
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path


@pytest.mark.parametrize("name", GENERATED)
def test_generated_data_depend_on_their_seed_and_on_nothing_else(name):
    a, b, other = (plica.data.load(name, n=50, seed=s) for s in (1, 1, 2))
    assert len(a.x) == 50 and np.isfinite(a.x).all()
    assert (a.x == b.x).all() and (a.x != other.x).any()
    assert a.y is None or ((a.y == b.y).all() and len(a.y) == 50)
    assert a.about and a.name == name


@pytest.mark.parametrize("name", ["sphere", "cube", "gaussian", "swiss-roll", "moebius", "torus", "helix"])
def test_an_isometry_into_more_coordinates_keeps_distances(name):
    small, large = plica.data.load(name, n=30, seed=4), plica.data.load(name, n=30, seed=4, ambient=12)
    assert large.x.shape == (30, 12) and large.dimension == small.dimension

    def distances(x):
        return np.linalg.norm(x[:, None] - x[None], axis=2)

    assert np.allclose(distances(small.x), distances(large.x))


def test_labels_come_in_equal_numbers():
    for name in ("moons", "circles", "spirals"):
        assert plica.data.load(name, n=200).y.sum() == 100
    assert np.bincount(plica.data.load("blobs", n=300, classes=5).y).tolist() == [60] * 5


def test_the_hidden_manifold_has_the_covariance_of_its_gaussian_equivalent():
    data = plica.data.load("hidden-manifold", n=40_000, dimension=6, ambient=5, activation="tanh", seed=0)
    assert np.linalg.matrix_rank(data.latent) == 6
    # tanh of a Gaussian with variance |f|^2 / d: mean zero, and each coordinate is a function of the latent ones alone
    assert np.abs(data.x.mean(axis=0)).max() < 4 / np.sqrt(40_000)
    linear = plica.data.load("hidden-manifold", n=50, dimension=3, ambient=20, activation="linear", seed=0)
    assert np.linalg.matrix_rank(linear.x) == 3


def test_moebius_strip_comes_back_upside_down():
    data = plica.data.load("moebius", n=2000, seed=0)
    u, v = data.latent.T
    distance = np.hypot(np.hypot(data.x[:, 0], data.x[:, 1]) - 1, data.x[:, 2])
    assert np.allclose(distance, np.abs(v))
    at_start = np.abs(u) < 0.01
    assert np.allclose(data.x[at_start, 0] - 1, v[at_start], atol=0.01)
    at_end = np.abs(u - 2 * np.pi) < 0.01
    assert at_end.any() and np.allclose(data.x[at_end, 0] - 1, -v[at_end], atol=0.01)


def test_the_sawtooth_target_has_64_pieces():
    x = np.linspace(0, 1, 64 * 8 + 1)[:, None]
    from plica.data._targets import TARGETS

    slopes = np.diff(TARGETS["sawtooth"][2](x[:, 0])) * 512
    assert (np.abs(slopes) == 64).all() and (np.diff(np.sign(slopes)) != 0).sum() == 63


def test_digits_come_with_scikit_learn():
    pytest.importorskip("sklearn")
    data = plica.data.load("digits")
    assert data.x.shape == (1797, 8, 8) and data.flat.shape == (1797, 64) and 0 <= data.x.min() and data.x.max() == 1


def test_a_wrong_name_or_option_is_explained():
    with pytest.raises(InvalidInput, match="did you mean 'mnist'"):
        plica.data.load("mnits")
    with pytest.raises(InvalidInput, match="no option 'nosie'"):
        plica.data.load("moons", nosie=0.1)
    with pytest.raises(InvalidInput, match=r"\.subset"):
        plica.data.load("mnist", n=100)
    for options in ({"n": 0}, {"noise": -1.0}, {"noise": float("nan")}):
        with pytest.raises(InvalidInput):
            plica.data.load("moons", **options)
    with pytest.raises(InvalidInput, match="larger ambient"):
        plica.data.load("sphere", dimension=5, ambient=5)


def test_subsets_and_splits_are_disjoint_and_keep_pairs():
    data = plica.data.load("parabola", n=50)
    divided = data.split(0.8, seed=1)
    assert len(divided.x) == 40 and len(divided.x_test) == 10
    assert not set(divided.x[:, 0]) & set(divided.x_test[:, 0])
    assert (divided.y_test == divided.x_test**2).all()
    small = divided.subset(7, n_test=3)
    assert (small.y == small.x**2).all() and len(set(small.x[:, 0])) == 7 and len(small.x_test) == 3
    with pytest.raises(InvalidInput):
        data.subset(51)
    with pytest.raises(InvalidInput):
        divided.split(0.5)


# --- published sets -----------------------------------------------------------------------------------------------------


def test_mnist_is_the_published_one():
    real("mnist")
    data = plica.data.load("mnist")
    assert data.x.shape == (60_000, 28, 28) and data.x_test.shape == (10_000, 28, 28)
    assert np.bincount(data.y).tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert abs(float(data.x.mean(dtype=np.float64)) - 0.1307) < 5e-5 and abs(float(data.x.std(dtype=np.float64)) - 0.3081) < 5e-5


def test_the_other_published_sets_have_their_published_sizes():
    for name in ("tinyshakespeare", "multi30k", "cora"):
        real(name)
    text = plica.data.load("tinyshakespeare")
    assert len(text.text) == 1_115_394 and len(text.alphabet) == 65 and text.train + text.test == text.text
    assert text.decode(text.encode(text.text[:200])) == text.text[:200]
    pairs = plica.data.load("multi30k")
    assert {split: len(found) for split, found in pairs.splits.items()} == {
        "train": 29_000,
        "val": 1_014,
        "test2016": 1_000,
        "test2017": 1_000,
    }
    assert all(german and english for found in pairs.splits.values() for german, english in found)
    graph = plica.data.load("cora")
    assert (graph.n_nodes, len(graph.edges), graph.features.shape[1], graph.n_classes) == (2_708, 5_278, 1_433, 7)
    assert (len(graph.train), len(graph.val), len(graph.test)) == (140, 500, 1_000)
    assert graph.adjacency().sum() == 2 * 5_278 and np.bincount(graph.labels[graph.train]).tolist() == [20] * 7


# --- where it looks: a published set of two small files ------------------------------------------------------------------

LABELS = bytes([0, 0, 8, 1, 0, 0, 0, 3, 5, 6, 7])


def small_entry(*, name: str = "tinyshakespeare") -> Entry:
    text = b"to be or not to be\n"
    file = File("input.txt", len(text), hashlib.sha256(text).hexdigest(), "input.txt")
    return Entry(name, "a line", "public domain", (file,), (), ("tiny", "Tiny/raw"))


@pytest.fixture
def tiny(monkeypatch, nowhere):
    monkeypatch.setitem(ENTRIES, "tinyshakespeare", small_entry())
    return nowhere


def put(folder: Path, text: bytes = b"to be or not to be\n", name: str = "input.txt") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return folder


def test_places_come_in_the_order_environment_cache_system(tiny, monkeypatch):
    order = [tiny / "one", tiny / "two", tiny / "cache" / "plica" / "data", tiny / "system"]
    monkeypatch.setenv("PLICA_DATA", f"{order[0]}{os.pathsep}{order[1]}")
    assert [place.path for place in places()] == order
    for place in order:
        put(place / "tiny")
    for place in order:
        assert locate(ENTRIES["tinyshakespeare"]) == place / "tiny"
        shutil.rmtree(place / "tiny")
    with pytest.raises(DatasetUnavailable):
        plica.data.load("tinyshakespeare")


def test_a_folder_that_was_named_is_the_only_one(tiny, monkeypatch):
    monkeypatch.setenv("PLICA_DATA", str(tiny / "one"))
    put(tiny / "one" / "tiny")
    assert plica.data.load("tinyshakespeare").text == "to be or not to be\n"
    with pytest.raises(DatasetUnavailable, match="not in the folder that was named") as caught:
        plica.data.load("tinyshakespeare", root=tiny / "mine")
    assert str(tiny / "mine") in str(caught.value) and str(tiny / "one") not in str(caught.value)
    put(tiny / "mine" / "tiny")
    assert locate(ENTRIES["tinyshakespeare"], tiny / "mine") == tiny / "mine" / "tiny"


@pytest.mark.parametrize("where", ["tiny", "Tiny/raw", "."])
@pytest.mark.parametrize("name", ["input.txt", "input.txt.gz"])
def test_plain_and_compressed_files_are_found_under_the_usual_names(tiny, where, name):
    put(tiny / "root" / where, name=name)
    assert plica.data.load("tinyshakespeare", root=tiny / "root").text == "to be or not to be\n"


def test_absent_data_are_one_error_with_places_hashes_and_commands(nowhere):
    with pytest.raises(DatasetUnavailable) as caught:
        plica.data.load("fashion-mnist")
    message = str(caught.value)
    for part in (nowhere / "cache" / "plica" / "data", nowhere / "system"):
        assert str(part) in message
    for file in ENTRIES["fashion-mnist"].files:
        assert file.sha256 in message
    for command in ("plica data fetch fashion-mnist", "apt install dataset-fashion-mnist", "export PLICA_DATA="):
        assert command in message


def test_a_folder_with_some_of_the_files_says_which_are_missing(nowhere, monkeypatch):
    put(nowhere / "mnist", b"x", "train-images-idx3-ubyte")
    with pytest.raises(DatasetUnavailable, match="missing: train-labels-idx1-ubyte, t10k"):
        plica.data.load("mnist", root=nowhere)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"to be or not to bE\n", "SHA-256"),
        (b"to be", "5 bytes"),
        (b"to be or not to be\n" * 1000, "more than 19"),
        (b"", "0 bytes"),
    ],
)
@pytest.mark.parametrize("name", ["input.txt", "input.txt.gz"])
def test_a_file_with_other_contents_is_refused_even_if_another_place_has_it(tiny, text, what, name):
    put(tiny / "root" / "tiny", text, name)
    put(tiny / "system" / "tiny")
    with pytest.raises(DatasetDamaged, match=what):
        plica.data.load("tinyshakespeare", root=tiny / "root")


def test_a_gzip_file_that_is_cut_off_or_is_none_is_refused(tiny):
    folder = put(tiny / "root" / "tiny", name="input.txt.gz")
    whole = (folder / "input.txt.gz").read_bytes()
    for contents in (whole[:-6], whole[:5], b"not gzip at all", b""):
        (folder / "input.txt.gz").write_bytes(contents)
        with pytest.raises(DatasetDamaged):
            plica.data.load("tinyshakespeare", root=tiny / "root")


def test_a_bomb_is_not_unpacked(tiny):
    folder = put(tiny / "root" / "tiny", b"\0" * 50_000_000, "input.txt.gz")
    assert (folder / "input.txt.gz").stat().st_size < 100_000
    with pytest.raises(DatasetDamaged, match="more than 19"):
        plica.data.load("tinyshakespeare", root=tiny / "root")


def test_loose_files_of_fashion_mnist_are_not_taken_for_mnist(nowhere):
    for file in ENTRIES["mnist"].files:
        put(nowhere / "loose", b"other contents", file.name)
    with pytest.raises(DatasetUnavailable):
        plica.data.load("mnist", root=nowhere / "loose")


def test_a_packed_graph_with_other_contents_is_refused(nowhere):
    folder = nowhere / "root" / "cora"
    folder.mkdir(parents=True)
    np.savez(folder / "cora.npz", indptr=np.zeros(3), indices=np.array([{"an": "object"}], dtype=object))
    with pytest.raises(DatasetDamaged, match="SHA-256 of indptr"):
        plica.data.load("cora", root=nowhere / "root")
    for contents in (b"", b"not a zip", b"PK\x03\x04"):
        (folder / "cora.npz").write_bytes(contents)
        with pytest.raises(DatasetDamaged):
            plica.data.load("cora", root=nowhere / "root")
