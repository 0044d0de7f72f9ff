"""Files that are almost right: one or a few changes that know what formats are made of."""

from random import Random

NUMBERS = [b"0", b"-1", b"1", b"2", b"255", b"65536", b"2147483648", b"9223372036854775808", b"1" + b"0" * 30, b"1e400", b"NaN"]
SIZES = [0, 1, 2, 7, 127, 128, 255, 256, 32767, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**63, 2**64 - 1]
TOKENS = [
    b"{}",
    b"[]",
    b'""',
    b"null",
    b"true",
    b"'",
    b'"',
    b"(",
    b")",
    b",",
    b"\\",
    b"\x00",
    b"\xff\xfe",
    b"\xe2\x80\xa8",
    b"<O8",
    b"U9",
]


def flip_bits(data: bytearray, rng: Random) -> None:
    for _ in range(rng.choice([1, 1, 2, 8])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def write_size(data: bytearray, rng: Random) -> None:
    """A size, count or offset of some width at some place."""
    width, order = rng.choice([1, 2, 4, 8]), rng.choice(["little", "big"])
    at = rng.randrange(len(data))
    data[at : at + width] = (rng.choice(SIZES) % 256**width).to_bytes(width, order)


def write_number(data: bytearray, rng: Random) -> None:
    """Another number in the place of one that stands there as text."""
    start = rng.randrange(len(data))
    at = next((i for i in [*range(start, len(data)), *range(start)] if 48 <= data[i] <= 57), None)
    if at is None:
        return
    end = at
    while end < len(data) and 48 <= data[end] <= 57:
        end += 1
    data[at:end] = rng.choice(NUMBERS)


def write_token(data: bytearray, rng: Random) -> None:
    at = rng.randrange(len(data))
    data[at : at + rng.choice([0, 1, 2])] = rng.choice(TOKENS)


def cut(data: bytearray, rng: Random) -> None:
    del data[rng.randrange(len(data)) :]


def remove(data: bytearray, rng: Random) -> None:
    at = rng.randrange(len(data))
    del data[at : at + rng.choice([1, 2, 8, 64])]


def repeat(data: bytearray, rng: Random) -> None:
    at, length = rng.randrange(len(data)), rng.choice([1, 4, 32, 256])
    data[at:at] = bytes(data[at : at + length]) * rng.choice([1, 2, 16])


def append(data: bytearray, rng: Random) -> None:
    data += rng.randbytes(rng.choice([1, 8, 100]))


MUTATIONS = (flip_bits, write_size, write_number, write_token, cut, remove, repeat, append)


def mutated(corpus: list[bytes], rng: Random) -> bytes:
    """One file of the corpus, or the head of one and the tail of another, changed a few times."""
    data = bytearray(rng.choice(corpus))
    if rng.random() < 0.05:
        other = rng.choice(corpus)
        data = data[: rng.randrange(len(data) + 1)] + bytearray(other[rng.randrange(len(other) + 1) :])
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        if not data:
            break
        rng.choice(MUTATIONS)(data, rng)
    return bytes(data)
