"""Scripts that are pages: their prose, their code, what they print and what they draw."""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import keyword
import re
import sys
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parents[1]
#: The folders with scripts: what each is called, and what it is for.
SECTIONS = {
    "tutorials": (
        "Tutorials",
        "One way in for each kind of reader: from a theorem, a lecture, or a model that was trained.",
    ),
    "howto": ("How to", "One task a page, for those who know what they want."),
    "explanation": ("Explanation", "What the words mean, and why the numbers are exact: what is proved, how, and what is not."),
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

    @property
    def file(self) -> str:
        """What the script is called where it is offered; empty if it reads files beside it and runs nowhere else."""
        return "" if "__file__" in self.path.read_text(encoding="utf-8") else f"{self.slug}.py"


@dataclass(frozen=True)
class Result:
    """What running a script gave: ``printed`` by each of its parts, and a figure."""

    printed: tuple[str, ...]
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

    module = ModuleType("__gallery__")
    module.__file__ = str(script.path)
    sys.modules[module.__name__] = module
    statements = iter(ast.parse(script.path.read_text(encoding="utf-8")).body[1:])  # after the docstring
    printed = []
    try:
        for kind, text in script.parts:
            said = io.StringIO()
            if kind == "code":
                block = [next(statements) for _ in ast.parse(text).body]
                with contextlib.redirect_stdout(said):
                    exec(compile(ast.Module(block, []), str(script.path), "exec"), vars(module))  # noqa: S102 our own
            printed.append(said.getvalue())
        figure, alt = vars(module)["figure"], vars(module)["alt"]
        svg, interactive = svg_of(figure, script.slug, alt), vars(module).get("interactive", "")
        return Result(tuple(printed), svg, alt, thumbnail_of(figure), interactive)
    finally:
        del sys.modules[module.__name__]
        plt.close("all")


def shown(code: str) -> str:
    """A block as its page shows it: without the sentence that stands for the figure, which is below the figure.

    >>> shown('ax.plot(x)\\nalt = "A line."')
    'ax.plot(x)'
    """
    hidden: set[int] = set()
    for node in ast.parse(code).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "alt":
            hidden |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return "\n".join(line for k, line in enumerate(code.splitlines(), 1) if k not in hidden).strip("\n")


def names_used(script: Script) -> dict[str, str]:
    """What names of a script are in full: those that it imports.

    >>> names_used(scripts("tutorials")[2])["fit"]
    'plica.learn.fit'
    """
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse(script.path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for each in node.names:
                root = each.name.partition(".")[0]
                found[each.asname or root] = each.name if each.asname else root
        elif isinstance(node, ast.ImportFrom):
            found |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    return found


def mentions(code: str, names: Mapping[str, str]) -> Iterator[tuple[tuple[int, int], tuple[int, int], str]]:
    """Where a block says names in full or imports them: start, end (line and character), and the full name.

    >>> list(mentions("cx = plica.decompose(net, box)", {"plica": "plica"}))
    [((1, 5), (1, 20), 'plica.decompose'), ((1, 5), (1, 10), 'plica')]
    """
    lines = code.splitlines()

    def place(row: int, column: int) -> tuple[int, int]:
        return row, len(lines[row - 1].encode()[:column].decode())

    for node in ast.walk(ast.parse(code)):
        full = _full(node, names) if isinstance(node, ast.Name | ast.Attribute) else names.get(getattr(node, "name", ""), "")
        if full and isinstance(node, ast.Name | ast.Attribute | ast.alias) and node.end_lineno and node.end_col_offset:
            yield place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset), full


def _full(node: ast.AST, names: Mapping[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        owner = _full(node.value, names)
        return f"{owner}.{node.attr}" if owner else ""
    return names.get(node.id, "") if isinstance(node, ast.Name) else ""


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


def highlighted(code: str, links: Mapping[tuple[int, int], tuple[tuple[int, int], str]] | None = None) -> str:
    """Python as HTML: keywords, strings and comments in spans; ``links`` are start: (end, address)."""
    lines, done, row, column = code.splitlines(keepends=True), [], 1, 0
    links, until = links or {}, (0, 0)

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
        if token.start in links and token.start >= until:
            until, address = links[token.start]
            done.append(f'<a href="{escape(address, quote=True)}">')
        inner = upto(*token.end)
        done.append(f'<span class="{kind}">{inner}</span>' if kind and inner else inner)
        if token.end == until:
            done.append("</a>")
    return "".join(done)
