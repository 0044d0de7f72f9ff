"""All bounds for one architecture, in one table."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import log10
from typing import Any, Literal

from plica.errors import InvalidInput
from plica.theory.regions._histograms import hinz_van_de_geer_2019_upper_bound
from plica.theory.regions._lower import (
    arora_2018_lower_bound,
    montufar_2014_lower_bound,
    pascanu_2014_lower_bound,
    serra_2018_lower_bound,
)
from plica.theory.regions._upper import (
    montufar_2017_upper_bound,
    patterns_upper_bound,
    raghu_2017_upper_bound,
    serra_2018_upper_bound,
    telgarsky_2015_upper_bound,
)
from plica.theory.regions._widths import split_widths

#: Beyond this many (input, neuron) pairs the histogram bound of a narrow network is left out: it would take long.
LARGE = 500_000


@dataclass(frozen=True)
class Bound:
    """One bound: its name, ``upper`` (for every network) or ``lower`` (for the best one), value, source, what it needs."""

    name: str
    kind: Literal["upper", "lower"]
    value: int
    source: str
    needs: str


_UPPER: list[tuple[str, Callable[[Sequence[int]], int], str, str]] = [
    ("2^N patterns", patterns_upper_bound, "", "rectifiers in any graph"),
    ("Raghu 2017", raghu_2017_upper_bound, "raghu2017", "rectifiers in any graph"),
    ("Montúfar 2017", montufar_2017_upper_bound, "montufar2017", "a chain of rectifier layers"),
    ("Serra 2018", serra_2018_upper_bound, "serra2018", "a chain of ReLU layers"),
    ("Hinz & van de Geer 2019, antipodal", hinz_van_de_geer_2019_upper_bound, "hinz2019", "a chain of ReLU layers"),
    ("Telgarsky 2015", telgarsky_2015_upper_bound, "telgarsky2015", "a chain of ReLU layers, one input"),
]
_LOWER: list[tuple[str, Callable[[Sequence[int]], int], str, str]] = [
    ("Pascanu 2014", pascanu_2014_lower_bound, "pascanu2014", "layers at least as wide as the input"),
    ("Montúfar 2014", montufar_2014_lower_bound, "montufar2014", "layers at least as wide as the input"),
    ("Arora 2018", arora_2018_lower_bound, "arora2018", "a first layer of width 2 or more"),
    ("Serra 2018", serra_2018_lower_bound, "serra2018", "layers at least 3 times as wide as the input"),
]


@dataclass(frozen=True)
class Bounds:
    """The table of :func:`bounds`: rows from the loosest to the tightest of each kind."""

    widths: tuple[int, ...]
    rows: tuple[Bound, ...]

    @property
    def upper(self) -> int:
        """The smallest upper bound."""
        return min(row.value for row in self.rows if row.kind == "upper")

    @property
    def lower(self) -> int:
        """The largest lower bound (1 where none applies)."""
        return max((row.value for row in self.rows if row.kind == "lower"), default=1)

    def __iter__(self) -> Iterator[Bound]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        widths = "-".join(map(str, self.widths))
        return f"<Bounds {widths}: some network has {_short(self.lower)}, none more than {_short(self.upper)} regions>"

    def __str__(self) -> str:
        names = max(len(row.name) for row in self.rows)
        values = max(len(_short(row.value)) for row in self.rows)
        return "\n".join(f"{row.kind}  {row.name:<{names}}  {_short(row.value):>{values}}" for row in self.rows)

    def _repr_html_(self) -> str:
        cells = (
            f"<tr><td>{row.kind}</td><td>{html.escape(row.name)}</td><td style='text-align:right'>{_short(row.value)}</td>"
            f"<td>{html.escape(row.source)}</td><td>{html.escape(row.needs)}</td></tr>"
            for row in self.rows
        )
        head = "<tr><th>kind</th><th>bound</th><th>value</th><th>source</th><th>needs</th></tr>"
        return f"<table>{head}{''.join(cells)}</table>"

    def to_dict(self) -> dict[str, Any]:
        """Plain values; a number of more than 300 digits becomes a short string."""
        rows = [asdict(row) | {"value": row.value if row.value < 10**300 else _short(row.value)} for row in self.rows]
        return {"widths": list(self.widths), "bounds": rows}


def _short(value: int) -> str:
    if value < 10**15:
        return f"{value:,}"
    exponent = int((value.bit_length() - 1) * log10(2))
    exponent += value >= 10 ** (exponent + 1)
    return f"{value // 10 ** (exponent - 2) / 100:.2f}e{exponent}"


def bounds(widths: Sequence[int]) -> Bounds:
    """Every bound that applies to a chain of ReLU layers with these widths.

    Upper bounds hold for the cells (and so for the regions) of every such network on all of the input space, lower bounds
    for the regions of the best one. For other rectifiers or graphs read the column ``needs``. Bounds that do not apply are left
    out, and so is the histogram bound for large networks with layers less than twice as wide as the input.

    Parameters
    ----------
    widths
        ``(n_inputs, hidden ..., n_outputs)``, for example ``network.widths``.

    Examples
    --------
    >>> print(bounds([2, 6, 6, 1]))
    upper  2^N patterns                        4,096
    upper  Raghu 2017                            484
    upper  Montúfar 2017                         484
    upper  Serra 2018                            484
    upper  Hinz & van de Geer 2019, antipodal    484
    lower  Arora 2018                             18
    lower  Pascanu 2014                           66
    lower  Montúfar 2014                         198
    lower  Serra 2018                            352
    """
    n_inputs, hidden = split_widths(widths)
    too_large = n_inputs * sum(hidden) > LARGE and any(n < 2 * n_inputs for n in hidden)
    rows: list[Bound] = []
    for kind, table in (("upper", _UPPER), ("lower", _LOWER)):
        found = []
        for name, function, source, needs in table:
            if function is hinz_van_de_geer_2019_upper_bound and too_large:
                continue
            try:
                found.append(Bound(name, kind, function(widths), source, needs))  # type: ignore[arg-type]
            except InvalidInput:  # the bound does not apply to these widths
                continue
        rows += sorted(found, key=lambda row: -row.value if kind == "upper" else row.value)
    return Bounds(tuple(int(w) for w in widths), tuple(rows))
