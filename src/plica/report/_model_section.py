"""A section of a report as plain data: it can be kept in a file and drawn later."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Section:
    """Numbers with their kinds, tables, figures, and one sentence that says what they mean.

    Parameters
    ----------
    id, title, meaning
        Name, heading, and the sentence.
    facts
        (name, value, kind) with kind ``exact``, ``certified`` or ``estimated``.
    tables
        Each a dict with ``caption``, ``kind``, ``head`` and ``rows`` of texts.
    figures
        Each a dict for :func:`plica.report._model_figures.draw`.
    summary
        (weight, sentence, kind): what the section has to say on the first page; the heaviest five of all sections are shown.
    sources
        Keys of the bibliography.
    note
        What was left out, and why.
    is_complete
        Whether the budget was enough for what the section is about.
    is_cut
        Whether it shows less than a longer time would.
    is_left_out
        Whether the network is too large for what the section is about, however long it may take.
    """

    id: str
    title: str
    meaning: str
    facts: list[list[str]] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)
    figures: list[dict[str, Any]] = field(default_factory=list)
    summary: list[list[Any]] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    note: str = ""
    is_complete: bool = True
    is_cut: bool = False
    is_left_out: bool = False
    seconds: float = 0.0

    def fact(self, name: str, value: str, kind: str) -> None:
        """Add a number."""
        self.facts.append([name, value, kind])

    def table(self, caption: str, kind: str, head: list[str], rows: list[list[str]]) -> None:
        """Add a table all of whose numbers are of one kind."""
        self.tables.append({"caption": caption, "kind": kind, "head": head, "rows": rows})

    def images(self, caption: str, kind: str, pictures: list[dict[str, str]]) -> None:
        """Add a row of small pictures, each a dict with ``src``, ``name`` and, below it, ``note`` (see :meth:`Task.picture`)."""
        alt = "; ".join(f"{p['name']}{', ' + p['note'] if p.get('note') else ''}" for p in pictures)
        self.figures.append({"type": "images", "kind": kind, "caption": caption, "alt": alt, "images": pictures})

    def summarize(self, text: str, kind: str, *, weight: float) -> None:
        """A sentence for the summary; weights from 0 to 10, where 10 is what everyone asks first."""
        self.summary.append([weight, text, kind])

    def remark(self, text: str) -> None:
        """Add to the note."""
        self.note = f"{self.note} {text}".strip()

    def cut(self, text: str) -> None:
        """Add to the note what the time was not enough for."""
        self.is_cut = True
        self.remark(text)

    def leave_out(self, text: str) -> None:
        """Add to the note why this is not computed for such a network."""
        self.is_left_out = True
        self.remark(text)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def counted(n: int, name: str) -> str:
    """A number of things.

    >>> counted(1, "hole"), counted(2, "cavity")
    ('1 hole', '2 cavities')
    """
    return f"{n:,} {name}" if n == 1 else f"{n:,} {name.removesuffix('y') + 'ies' if name.endswith('y') else name + 's'}"


def spread(values: Any) -> str:
    """Mean and standard error.

    >>> spread([1.0, 2.0, 3.0])
    '2 ± 0.577'
    """
    import numpy as np

    array = np.asarray(values, dtype=float)
    if len(array) < 2:
        return f"{array.mean():.4g}"
    return f"{array.mean():.4g} ± {array.std(ddof=1) / len(array) ** 0.5:.3g}"
