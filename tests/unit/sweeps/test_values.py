"""Values go to text and back without losing a bit."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from plica.errors import InvalidInput
from plica.sweeps._values import INLINE_BYTES, Values, array_of, encode


def there_and_back(values):
    text, files = encode(values)
    return Values(text, files.__getitem__)


def same(a, b):
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))


arrays = hnp.arrays(hnp.scalar_dtypes(), hnp.array_shapes(min_dims=0, max_side=4))
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@given(st.dictionaries(st.text(st.characters(exclude_characters="$")), scalars | arrays | st.lists(scalars), max_size=4))
@settings(max_examples=200, deadline=None)
def test_everything_comes_back_bit_for_bit(values):
    back = there_and_back(values)
    assert set(back) == set(values) and len(back) == len(values)
    for name, value in values.items():
        assert type(back[name]) is type(value)
        assert all(map(same, value, back[name])) if isinstance(value, list) else same(value, back[name])


def test_small_arrays_stay_in_the_row_and_larger_ones_get_a_file():
    limit = INLINE_BYTES // 8
    _, none = encode({"a": np.zeros(limit)})
    text, files = encode({"a": np.zeros(limit + 1)})
    assert not none and len(files) == 1
    assert next(iter(files)) in text


def test_memory_order_does_not_change_the_text():
    array = np.arange(2000.0).reshape(40, 50)
    assert encode({"a": array}) == encode({"a": np.asfortranarray(array)})


def test_structured_array_comes_back():
    array = np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")])
    assert same(array, there_and_back({"a": array})["a"])


def test_nested_values_come_back():
    back = there_and_back({"rows": [{"loss": math.inf, "w": np.arange(3)}, {"loss": 0.5, "w": np.zeros(0)}]})
    assert back["rows"][0]["loss"] == math.inf
    assert back["rows"][0]["w"].tolist() == [0, 1, 2] and back["rows"][1]["w"].shape == (0,)


def test_numpy_scalars_become_python_numbers():
    back = there_and_back({"a": np.float32(0.1), "b": np.int64(3), "c": np.bool_(True)})
    assert (back["a"], back["b"], back["c"]) == (float(np.float32(0.1)), 3, True)


@pytest.mark.parametrize(
    "values", [3, [1], {"a": object()}, {"a": {1: 2}}, {"$a": 1}, {"a": np.array([object()])}, {"a": 1j}, {"a": b"raw"}]
)
def test_what_cannot_be_stored_is_refused(values):
    with pytest.raises(InvalidInput):
        encode(values)


def test_npy_header_that_lies_about_its_size_is_refused():
    _, files = encode({"a": np.zeros(1000)})
    content = next(iter(files.values()))
    for lie in (content[:-8], content + bytes(8), content.replace(b"(1000,)", b"(9999,)"), content.replace(b"<f8", b"|O8", 1)):
        with pytest.raises(ValueError):
            array_of(lie)
