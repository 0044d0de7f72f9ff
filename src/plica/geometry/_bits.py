"""Words of 64 signs: the few bit operations that the kernels share."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry._kernel import phase

ZERO = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H = np.uint64(0x0101010101010101)
_S1, _S2, _S4, _S56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@phase
def popcount(x: Any) -> Any:
    """Number of set bits (LLVM recognizes the idiom)."""
    x = x - ((x >> _S1) & _M1)
    x = (x & _M2) + ((x >> _S2) & _M2)
    x = (x + (x >> _S4)) & _M4
    return np.int64((x * _H) >> _S56)


@phase
def lowest(x: Any) -> Any:
    """Index of the lowest set bit."""
    return popcount((x & (ZERO - x)) - ONE)


def n_words(n_bits: int) -> int:
    return (n_bits + 63) // 64


def unpack(words: Array, n_bits: int) -> Array:
    """Rows of words as rows of 0/1 int8."""
    flags = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, bitorder="little")
    return flags[..., :n_bits].astype(np.int8)


def bit(words: Array, index: int) -> Array:
    """One bit of each row of words, as booleans."""
    return (words[..., index >> 6] >> np.uint64(index & 63)) & ONE == ONE


def pack(flags: Array) -> Array:
    """Rows of booleans as rows of words, the reverse of :func:`unpack`."""
    some = np.packbits(flags, axis=-1, bitorder="little")
    padded = np.zeros((*flags.shape[:-1], 8 * n_words(flags.shape[-1])), np.uint8)
    padded[..., : some.shape[-1]] = some
    return padded.view(np.uint64)
