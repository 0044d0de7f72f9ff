"""Which part of the input space a command looks at: from indices of data, a box, or a random plane."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plica.errors import InvalidDomain, InvalidInput

if TYPE_CHECKING:
    from plica._types import Array
    from plica.geometry import Box, Budget, Plane, Segment
    from plica.network import Network

Model = Annotated[Path, typer.Argument(help="A .onnx or .safetensors file.", show_default=False)]
Data = Annotated[Path | None, typer.Option(help="A .npy or .csv file with one input in each row.")]
Through = Annotated[str | None, typer.Option(metavar="I,J,K", help="The plane through three rows of the data.")]
Ends = Annotated[str | None, typer.Option(metavar="I,J", help="The segment between two rows of the data.")]
Range = Annotated[str | None, typer.Option(metavar="LOW,HIGH", help="Range of each coordinate; -1,1 unless given.")]
Margin = Annotated[float, typer.Option(min=0, help="With --through: how far beyond the three points.")]
PlaneSeed = Annotated[int | None, typer.Option(min=0, help="A random plane through the origin, with this seed.")]
MaxCells = Annotated[int | None, typer.Option(min=1, help="Stop beyond this many cells.")]
MaxSeconds = Annotated[float | None, typer.Option(help="Stop after this time.")]
MaxBytes = Annotated[int | None, typer.Option(min=1, help="Stop before using more memory than this.")]

TEXT = (".csv", ".tsv", ".txt")


def parse_numbers(text: str, option: str, *, count: int, kind: type = int) -> list[Any]:
    """The numbers of an option such as ``--through 0,1,2``.

    >>> parse_numbers("-1,0.5", "--box", count=2, kind=float)
    [-1.0, 0.5]
    """
    try:
        numbers = [kind(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != count:
        what = "integers" if kind is int else "numbers"
        raise InvalidInput(f"{option} takes {count} {what} with commas between, got {text!r}.")
    return numbers


def limits(**given: float | None) -> Budget:
    """The budget of the options that were given."""
    from plica.geometry import Budget

    known: dict[str, Any] = {name: limit for name, limit in given.items() if limit is not None}
    return Budget(**known)


def load_points(path: Path, network: Network, *, shaped: bool = False) -> Array:
    """The rows of a ``.npy`` or ``.csv`` file, each one input of the network, flattened, or ``shaped`` as they are stored."""
    from plica._npy import read_npy

    if path.suffix.lower() in TEXT:
        from plica._csv import read_csv

        return read_csv(path, network.n_inputs).points
    array = read_npy(path)
    if array.dtype.kind not in "fiub":
        raise InvalidInput(f"{path} holds no plain array of numbers.", hint="write it with numpy.save")
    if array.ndim < 1 or array.size == 0 or array.size // len(array) != network.n_inputs:
        raise InvalidInput(
            f"{path} has shape {array.shape}; the network takes inputs of shape {network.input_shape}.",
            hint="one input in each row",
        )
    return array if shaped else array.reshape(len(array), -1)


def choose_domain(
    network: Network,
    *,
    points: Array | None = None,
    through: str | None = None,
    segment: str | None = None,
    box: str | None = None,
    margin: float = 0.0,
    seed: int | None = None,
) -> tuple[Box | Plane | Segment, str]:
    """The domain that the options ask for, and a sentence that says which it is."""
    import plica

    low, high = parse_numbers(box or "-1,1", "--box", count=2, kind=float)
    if through and segment:
        raise InvalidInput("--through and --segment ask for two different domains.", hint="give one of them")
    if (through or segment) and box:
        raise InvalidInput("--box is for networks with one or two inputs and for random planes.", hint="use --margin")
    if points is not None and not (through or segment) and network.n_inputs > 2:
        through, segment = ("0,1,2", None) if len(points) >= 3 else (None, "0,1")
    if through:
        i, j, k = _rows(through, "--through", points, count=3)
        x = _pick(points, (i, j, k))
        shape = f"the square with margin {margin:g} around" if margin else "the triangle of"
        return plica.Plane.through(*x, margin=margin), f"{shape} rows {i}, {j}, {k} of the data"
    if segment:
        i, j = _rows(segment, "--segment", points, count=2)
        return plica.Segment(*_pick(points, (i, j))), f"the segment between rows {i} and {j} of the data"
    if network.n_inputs <= 2:
        n = network.n_inputs
        return plica.Box([low] * n, [high] * n), f"[{low:g}, {high:g}]" + ("²" if n == 2 else "")
    if seed is None:
        raise InvalidDomain(
            f"the network has {network.n_inputs} inputs; which slice of them?",
            hint="--data x.npy --through 0,1,2 (three rows), --segment 0,1 (two rows), or --seed 0 for a random plane",
        )
    return _random_plane(network.n_inputs, low, high, seed), (
        f"[{low:g}, {high:g}]² on a random plane through the origin (seed {seed})"
    )


def _rows(text: str, option: str, points: Array | None, *, count: int) -> list[int]:
    rows: list[int] = parse_numbers(text, option, count=count)
    if points is None:
        raise InvalidInput(f"{option} {text} needs rows of data.", hint="add --data x.npy")
    for i in rows:
        if not 0 <= i < len(points):
            raise InvalidInput(f"{option} {text}: the data has rows 0 to {len(points) - 1}.")
    return rows


def _pick(points: Array | None, rows: tuple[int, ...]) -> list[Array]:
    import numpy as np

    assert points is not None
    return [np.asarray(points[i], dtype=np.float64) for i in rows]


def _random_plane(n_inputs: int, low: float, high: float, seed: int) -> Plane:
    import numpy as np

    import plica

    directions, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((n_inputs, 2)))
    return plica.Plane.box(np.zeros(n_inputs), directions[:, 0], directions[:, 1], low=(low, low), high=(high, high))
