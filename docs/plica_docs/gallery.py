"""Scripts that are pages: their prose, their code, what they print and what they draw."""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import keyword
import re
import runpy
import tokenize
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1]
#: The folders with scripts: what each is called, and what it is for.
SECTIONS = {
    "tutorials": (
        "Tutorials",
        "One way in for each kind of reader: from a theorem, a lecture, or a model that was trained.",
    ),
    "howto": ("How to", "One task a page, for those who know what they want."),
    "explanation": ("Why it is exact", "What is proved, how, and what is not."),
    "gallery": ("Gallery", "Short scripts, one for each topic."),
}


@dataclass(frozen=True)
class Script:
    """A file of the gallery. ``parts`` are ("prose" | "code", text) in the order of the file."""

    path: Path
    title: str
    intro: str
    parts: tuple[tuple[str, str], ...]

    @property
    def slug(self) -> str:
        return self.path.stem.partition("_")[2].replace("_", "-")

    @property
    def section(self) -> str:
        return self.path.parent.name

    @property
    def address(self) -> str:
        return f"{self.section}/{self.slug}.html"


@dataclass(frozen=True)
class Result:
    """What running a script gave."""

    printed: str
    svg: str
    alt: str
    thumbnail: str  # a data address of a small picture
    interactive: str = ""  # a part of the page that answers, if the script leaves one


@cache
def scripts(section: str = "gallery") -> tuple[Script, ...]:
    """All scripts of a section, in order."""
    return tuple(read(path) for path in sorted((FOLDER / section).glob("*.py")))


def every_script() -> tuple[Script, ...]:
    """All scripts of all sections, in order."""
    return tuple(script for section in SECTIONS for script in scripts(section))


def read(path: Path) -> Script:
    """Prose is a paragraph of comments between empty lines; everything else is code."""
    source = path.read_text(encoding="utf-8")
    head = ast.parse(source).body[0]
    assert isinstance(head, ast.Expr) and head.end_lineno is not None
    title, _, intro = (ast.get_docstring(ast.parse(source)) or path.stem).partition("\n")
    parts: list[tuple[str, str]] = []
    body = "\n".join(source.splitlines()[head.end_lineno :]).strip("\n")
    for paragraph in re.split(r"\n(?:[ \t]*\n)+(?=\S)", body):
        is_prose = all(line.startswith("# ") for line in paragraph.splitlines())
        kind = "prose" if is_prose else "code"
        text = " ".join(line[2:] for line in paragraph.splitlines()) if is_prose else paragraph
        if parts and parts[-1][0] == kind == "code":
            parts[-1] = ("code", parts[-1][1] + "\n\n" + text)
        else:
            parts.append((kind, text))
    return Script(path, title.strip().rstrip("."), " ".join(intro.split()), tuple(parts))


def run(script: Script) -> Result:
    """Execute a script; it leaves its ``figure``, the text that stands for it, ``alt``, and perhaps an ``interactive`` one."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            names = runpy.run_path(str(script.path), run_name="__gallery__")
        figure, alt = names["figure"], names["alt"]
        svg, interactive = svg_of(figure, script.slug, alt), names.get("interactive", "")
        return Result(printed.getvalue(), svg, alt, thumbnail_of(figure), interactive)
    finally:
        plt.close("all")


def svg_of(figure: Any, name: str, alt: str) -> str:
    """A figure as one SVG element with a text alternative, the same bytes every time."""
    import matplotlib

    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    return re.sub(r"^<svg ", f'<svg role="img" aria-label="{escape(alt, quote=True)}" ', text).strip()


def thumbnail_of(figure: Any, width: int = 480) -> str:
    """A figure as a small picture inside a page."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=width / figure.get_size_inches()[0], metadata={"Software": None})
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def highlighted(code: str) -> str:
    """Python as HTML: keywords, strings and comments in spans."""
    lines, done, row, column = code.splitlines(keepends=True), [], 1, 0

    def upto(to_row: int, to_column: int) -> str:
        nonlocal row, column
        text = ""
        while row < to_row and row <= len(lines):
            text += lines[row - 1][column:]
            row, column = row + 1, 0
        if row <= len(lines):
            text += lines[row - 1][column:to_column]
            column = to_column
        return escape(text)

    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        kind = {tokenize.COMMENT: "c", tokenize.STRING: "s", tokenize.NUMBER: "n"}.get(token.type)
        if token.type == tokenize.NAME and keyword.iskeyword(token.string):
            kind = "k"
        done.append(upto(*token.start))
        inner = upto(*token.end)
        done.append(f'<span class="{kind}">{inner}</span>' if kind and inner else inner)
    return "".join(done)
