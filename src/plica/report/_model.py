"""The page of ``plica report``: everything Plica says about one network and its data."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from unicodedata import normalize

import numpy as np

from plica.errors import BudgetExceeded, PlicaError
from plica.report._model_cells import redundancy, values
from plica.report._model_figures import DASHES, draw
from plica.report._model_geometry import architecture, folds, pieces
from plica.report._model_landscape import landscape
from plica.report._model_measures import bounds, dimensions, jacobians, lengths
from plica.report._model_parts import Parts
from plica.report._model_pictures import pictures
from plica.report._model_planes import planes
from plica.report._model_robust import fragile
from plica.report._model_section import Section
from plica.report._model_sparse import weights
from plica.report._model_task import Task
from plica.report._page import render

#: Sections in order, with their share of the time.
SECTIONS: tuple[tuple[Callable[[Task], Section], float], ...] = (
    (architecture, 0.02),
    (planes, 0.34),
    (values, 0.12),
    (pieces, 0.16),
    (folds, 0.1),
    (lengths, 0.1),
    (jacobians, 0.07),
    (fragile, 0.1),
    (pictures, 0.08),
    (dimensions, 0.13),
    (redundancy, 0.03),
    (weights, 0.02),
    (landscape, 0.04),
    (bounds, 0.02),
)

N_LINES = 5  # of the summary
LEAST = 0.01  # of the time, for a section whose predecessors used up theirs


def model_sections(
    task: Task, *, parts: Parts | None = None, progress: Callable[[str, int, int], None] | None = None
) -> list[Section]:
    """All sections, those that were finished before taken from ``parts``.

    Time that a section leaves is for those after it.
    """
    started = time.perf_counter()
    done: list[Section] = []
    for i, (make, share) in enumerate(SECTIONS):
        name = make.__name__
        if progress is not None:
            progress(name, i, len(SECTIONS))
        section = parts.find(name) if parts is not None else None
        if section is None:
            left = max(0.0, task.max_seconds - (time.perf_counter() - started))
            fair = left * share / sum(s for _, s in SECTIONS[i:])
            task.allow(max(fair, LEAST * task.max_seconds))
            began = time.perf_counter()
            section = _made(make, task)
            section.seconds = round(time.perf_counter() - began, 2)
            if parts is not None:
                parts.keep(section)
        done.append(section)
    return done


def _made(make: Callable[[Task], Section], task: Task) -> Section:
    """A section; where its subject cannot be asked of these data, one that says why, so that the others are written."""
    is_complete = True
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            return make(task)
    except BudgetExceeded as error:
        why, is_complete = error.message, False
    except PlicaError as error:
        why = error.message
    except FloatingPointError:
        why = "Numbers of the network or of the data are so large or so small that double precision does not hold their products."
    section = Section(make.__name__, make.__name__.capitalize(), "This cannot be said of the network and these data.")
    section.remark(why)
    section.is_complete = is_complete
    return section


def model_page(sections: Sequence[Section], task: Task, *, title: str) -> str:
    """The whole page as a string."""
    sources = list(dict.fromkeys(key for section in sections for key in section.sources))
    return render(
        "model.html.j2",
        title=title,
        network=task.network,
        sections=sections,
        figures={section.id: [(figure, draw(figure)) for figure in section.figures] for section in sections},
        n_points=len(task.points),
        stands_in=task.stands_in,
        given="labels" if task.labels is not None else "targets" if task.targets is not None else "",
        seed=task.seed,
        summary=summary(sections),
        unfinished=[section for section in sections if not section.is_complete],
        max_seconds=task.max_seconds,
        seconds=sum(section.seconds for section in sections),
        references=sorted(((key, reference(key)) for key in sources), key=lambda pair: cited(pair[0])),
        cited={key: cited(key) for key in sources},
        dashes=DASHES,
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
    )


def summary(sections: Sequence[Section]) -> list[tuple[str, str, str]]:
    """The five sentences that matter most, in the order of their sections: (section, sentence, kind).

    >>> a, b = Section("a", "A", "First."), Section("b", "B", "Second.")
    >>> for k in range(4):
    ...     a.summarize(f"a{k}", "exact", weight=k)
    ...     b.summarize(f"b{k}", "certified", weight=k + 0.5)
    >>> [text for _, text, _ in summary([a, b])]
    ['a2', 'a3', 'b1', 'b2', 'b3']
    """
    lines = [(weight, section.id, text, kind) for section in sections for weight, text, kind in section.summary]
    kept = sorted(sorted(range(len(lines)), key=lambda i: -lines[i][0])[:N_LINES])
    return [lines[i][1:] for i in kept]


def reference(key: str) -> str:
    """An entry of the bibliography as one line.

    >>> reference("zaslavsky1975")
    'Thomas Zaslavsky. Facing up to Arrangements: Face-Count Formulas for Partitions of Space by Hyperplanes. Memoirs of the
    American Mathematical Society, 1975.'
    """
    plain = _fields(key)
    names = [" ".join(reversed(author.split(", ", 1))) for author in plain.get("author", "").split(" and ") if author]
    where = plain.get("journal") or plain.get("booktitle") or plain.get("howpublished") or plain.get("note") or ""
    year = ", ".join(part for part in (where, plain.get("year", "")) if part)
    return ". ".join(part for part in (", ".join(names), plain.get("title", ""), year) if part) + "."


def cited(key: str) -> str:
    """An entry of the bibliography as it is named in a text.

    >>> cited("zaslavsky1975"), cited("hanin2019a"), cited("montufar2014")
    ('Zaslavsky 1975', 'Hanin and Rolnick 2019', 'Montúfar et al. 2014')
    """
    plain = _fields(key)
    names = [author.split(", ")[0] for author in plain.get("author", "").split(" and ") if author] or [key]
    who = names[0] if len(names) == 1 else f"{names[0]} and {names[1]}" if len(names) == 2 else f"{names[0]} et al."
    return f"{who} {plain.get('year', '')}".strip()


def _fields(key: str) -> dict[str, str]:
    """What the bibliography says of an entry, without TeX."""
    from plica.claims import bibliography

    found = re.findall(r"(\w+)\s*=\s*\{(.*?)\},?\s*(?=\n\s*\w+\s*=|\n\})", bibliography()[key], re.DOTALL)
    return {name.lower(): _without_tex(re.sub(r"\s+", " ", value)) for name, value in found}


def _without_tex(text: str) -> str:
    accents = {"'": "\u0301", '"': "\u0308", "`": "\u0300", "~": "\u0303", "^": "\u0302"}
    text = re.sub(r"\{?\\([\'\"`~^])\{?(\w)\}?\}?", lambda m: m[2] + accents[m[1]], text)
    text = text.replace(r"{\l}", "ł").replace(r"\l", "ł").replace(r"\&", "&").replace("--", "–")
    return normalize("NFC", re.sub(r"[{}]|\\[a-zA-Z]+\s?", "", text))
