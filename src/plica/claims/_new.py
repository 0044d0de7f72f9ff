"""A page to fill in: the file of a new claim, and the entry of its source."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from string import Template

from plica.claims._bibliography import bibliography
from plica.claims._folders import REFERENCES, catalog_folders, topic_folders
from plica.errors import InvalidInput

_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NAME_AND_YEAR = re.compile(r"([a-z]{2,})(?:-[a-z]+)*-(\d{4})\b")

_PAGE = Template('''r"""FILL IN a title that is a sentence or ends with a full stop.

Claim
    FILL IN the statement, so that it could be false: for which networks, which number, which relation.
Source
    FILL IN author, title, place, year, and the theorem, equation or figure [$key].
Prediction
    FILL IN what follows from the statement; name the formula: plica.theory...
Measurement
    FILL IN what is measured, and by what; it shares no code with the prediction
"""

from __future__ import annotations

from plica.claims import Evidence, row

STATEMENT = "theorem"  # FILL IN: theorem, published result, misprint (text), misprint (picture), misprint (reading), question
EXPECTED = "holds"  # FILL IN: holds, refuted, reproduced, not reproduced, answered
KIND = "exact"  # FILL IN, of the weakest number: exact, certified, estimated


def check(scale: str) -> Evidence:
    sizes = (1, 2, 3, 5) if scale == "quick" else (1, 2, 3, 5, 8, 13)
    rows = []
    for n in sizes:
        measured = n  # FILL IN the measurement
        predicted = n  # FILL IN the prediction
        rows.append(row(measured, "=", predicted, n=n))
    return Evidence(rows)
''')

_ENTRY = Template("""
@article{$key,
  author  = {FILL IN},
  title   = {FILL IN},
  journal = {FILL IN},
  year    = {FILL IN},
}
""")


def new_claim(id: str, *, topic: str, about: str = "", key: str = "", folder: Path | None = None) -> list[Path]:
    """Write the page of a claim to fill in, and the entry of its source unless the bibliography has it.

    Parameters
    ----------
    id
        Small letters and digits, words joined by ``-``: *author-year-subject*, as in ``hanin-2019-line``.
    topic
        A folder of the catalog; a new one needs ``about``.
    about
        What a new topic is about, in one sentence.
    key
        Of the source in ``references.bib``; by default author and year of ``id``, or else ``id`` itself.
    folder
        The catalog to write to: the last one of ``PLICA_CLAIMS``, or the package's own.

    Returns
    -------
    list of Path
        The files that were written or got an entry.
    """
    if not _ID.fullmatch(id):
        raise InvalidInput(f"{id!r} is no name for a claim.", hint="small letters and digits, words joined by -: hanin-2019-line")
    if not topic.isidentifier():
        raise InvalidInput(f"{topic!r} is no name for a topic.", hint="one word in small letters, as regions")
    root = catalog_folders()[-1] if folder is None else folder
    place = root / topic
    path = place / f"{id.replace('-', '_')}.py"
    taken = [other for other in topic_folders() if (other / path.name).exists()]
    if path.exists() or taken:
        raise InvalidInput(f"there is a claim {id!r} already, in {(taken or [place])[0].name}.", hint="take another name")
    written = [] if (place / "__init__.py").exists() else [_make_topic(place, about)]
    found = _NAME_AND_YEAR.match(id)
    key = key or (found[1] + found[2] if found else id if "-" in id else f"{id}-source")
    path.write_text(_PAGE.substitute(key=key), encoding="utf-8")
    written.append(path)
    if key not in bibliography():
        with (root / REFERENCES).open("a", encoding="utf-8") as stream:
            stream.write(_ENTRY.substitute(key=key))
        bibliography.cache_clear()
        written.append(root / REFERENCES)
    return written


def _make_topic(place: Path, about: str) -> Path:
    known = {folder.name: folder for folder in topic_folders() if (folder / "__init__.py").exists()}
    text = (known[place.name] / "__init__.py").read_text(encoding="utf-8") if place.name in known else f'"""{about}"""\n'
    if not about and place.name not in known:
        near = difflib.get_close_matches(place.name, known, n=2) or sorted(known)
        raise InvalidInput(
            f"there is no topic {place.name!r}.", hint=f'use {" or ".join(near)}, or begin one with --about "What it is about."'
        )
    if '"' in about or "\\" in about:
        raise InvalidInput(f"{about!r} does not say what a topic is about.", hint="one sentence without quotes")
    place.mkdir(parents=True, exist_ok=True)
    (place / "__init__.py").write_text(text, encoding="utf-8")
    return place / "__init__.py"
