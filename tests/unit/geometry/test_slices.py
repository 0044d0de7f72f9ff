"""Products of long doubles by slices of doubles, against integers."""

from fractions import Fraction

import numpy as np
import pytest

from plica.geometry.signs._precision import EXTENDED_EPS, HAS_EXTENDED
from plica.geometry.values._sliced import SlicedOperation, bits_of_slices, sliced
from plica.network import Conv, Linear, Scale

pytestmark = pytest.mark.skipif(not HAS_EXTENDED, reason="a long double is a double here")


def _fractions(x: np.ndarray) -> np.ndarray:
    """Long doubles as they are: a double and what it leaves."""
    high = x.astype(np.float64)
    low = (x - high).astype(np.float64)
    parts = zip(high.reshape(-1).tolist(), low.reshape(-1).tolist(), strict=True)
    return np.array([Fraction(a) + Fraction(b) for a, b in parts], object).reshape(x.shape)


def _wild(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers of many magnitudes; the rows too."""
    numbers = rng.normal(size=shape) * 2.0 ** rng.integers(-30, 30, shape)
    numbers[rng.random(shape) < 0.2] = 0.0
    return numbers * (2.0 ** rng.integers(-90, 90, len(numbers))).reshape(-1, *[1] * (len(shape) - 1))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("conv", [False, True])
def test_the_error_is_that_of_long_doubles(seed: int, conv: bool) -> None:
    rng = np.random.default_rng(seed)
    op = (
        Conv(_wild(rng, 3, 2, 3, 3), stride=(1, 1), padding=((1, 1), (1, 1)), dilation=(1, 1))
        if conv
        else Linear(_wild(rng, 7, 40))
    )
    shape = (2, 5, 4) if conv else (40,)
    x = _wild(rng, 6, *shape).astype(np.longdouble) * (1 + np.longdouble(2.0) ** -60 * rng.integers(-15, 16, (6, *shape)))
    slices = SlicedOperation.of(op)
    assert slices is not None and op.coefficients is not None
    found = _fractions(slices.linear(x, op.output_shape(shape)))
    weights = np.array([Fraction(w) for w in op.coefficients.reshape(-1).tolist()], object).reshape(op.coefficients.shape)
    true = op.linear([_fractions(x)], weights)
    norms, results = (np.sqrt((a**2).reshape(6, -1).sum(axis=1).astype(float)) * (1 + 1e-9) for a in (_fractions(x), true))
    long_doubles = (op.n_terms() + 3) * EXTENDED_EPS * op.absolute_gain() * norms
    for bound in (slices.rounding(norms, results, op.absolute_gain()), long_doubles):
        misses = ((found - true) ** 2).reshape(6, -1).sum(axis=1)
        assert all(miss <= Fraction(float(b)) ** 2 for miss, b in zip(misses, bound, strict=True))
    assert any(miss > 0 for miss in misses)


def test_slices_have_few_bits_and_lose_nothing() -> None:
    rng = np.random.default_rng(0)
    numbers = _wild(rng, 5, 50)
    for n_terms in (3, 100, 65536):
        n_bits = bits_of_slices(n_terms)
        parts = sliced(numbers, n_bits)
        assert np.array_equal(parts[0] + parts[1] + parts[2], numbers) and n_terms * 4**n_bits <= 2**53
        for part in parts[:2]:
            for row in part:
                mantissa, exponent = np.frexp(row[row != 0])
                least = int(np.min([e - 53 + (int(m * 2**53) & -int(m * 2**53)).bit_length() - 1 for m, e in
                                    zip(np.abs(mantissa), exponent, strict=True)], initial=9999))  # fmt: skip
                top = int(np.ceil(np.log2(np.abs(row).max()))) if row.any() else least
                assert top - least <= n_bits


def test_operations_that_hardly_multiply_need_no_slices() -> None:
    assert SlicedOperation.of(Scale(np.ones(3), np.zeros(3))) is None
