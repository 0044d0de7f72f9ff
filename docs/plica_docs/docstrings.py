"""Docstrings in numpydoc's dialect to HTML."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from html import escape

from plica._mathml import to_mathml

Resolve = Callable[[str, str], str | None]  # role and target -> address, or None

_INLINE = re.compile(
    r"``(?P<code>.+?)``|:math:`(?P<math>[^`]+)`|:(?P<role>[a-z]+):`~?(?P<target>[^`]+)`|\[(?P<cite>[a-z][a-z0-9-]*)\]_"
    r"|`(?P<plain>[^`]+)`|(?<![\w*])\*(?P<emphasis>[^*\s][^*]*?)\*(?![\w*])",
    re.DOTALL,
)
_LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Other Parameters")
_RULE = re.compile(r"^=+( +=+)+$")


def to_html(text: str, resolve: Resolve) -> str:
    """A docstring as HTML; ``resolve`` knows the addresses of names and of sources."""
    return _Renderer(resolve).blocks(inspect.cleandoc(text).splitlines())


def first_line(text: str | None, resolve: Resolve) -> str:
    """The first paragraph, as one line of HTML."""
    paragraph = inspect.cleandoc(text or "").split("\n\n")[0]
    return _Renderer(resolve).inline(" ".join(paragraph.split()))


class _Renderer:
    def __init__(self, resolve: Resolve) -> None:
        self.resolve = resolve

    def inline(self, text: str) -> str:
        done, at = [], 0
        for found in _INLINE.finditer(text):
            done += [escape(text[at : found.start()]), self._marked(found)]
            at = found.end()
        return "".join([*done, escape(text[at:])])

    def _marked(self, found: re.Match[str]) -> str:
        if found["math"]:
            return to_mathml(found["math"])
        if found["emphasis"]:
            return f"<em>{escape(found['emphasis'])}</em>"
        if found["cite"]:
            return self._linked("cite", found["cite"], f"[{escape(found['cite'])}]")
        if found["role"]:
            return self._linked(found["role"], found["target"], f"<code>{escape(found['target'])}</code>")
        return f"<code>{escape(found['code'] or found['plain'])}</code>"

    def _linked(self, role: str, target: str, shown: str) -> str:
        address = self.resolve(role, target)
        return shown if address is None else f'<a href="{escape(address, quote=True)}">{shown}</a>'

    def blocks(self, lines: list[str]) -> str:
        html, i = [], 0
        while i < len(lines):
            if not lines[i].strip():
                i += 1
                continue
            taker = next(take for take in (self.section, self.doctest, self.formula, self.table, self.bullets, self.literal,
                                           self.paragraph) if take(lines, i) is not None)  # fmt: skip
            block, i = taker(lines, i) or ("", i + 1)
            html.append(block)
        return "".join(html)

    def section(self, lines: list[str], i: int) -> tuple[str, int] | None:
        if not _is_heading(lines, i):
            return None
        name, start = lines[i].strip(), i + 2
        end = next((k for k in range(start, len(lines)) if _is_heading(lines, k)), len(lines))
        body = self.definitions(lines[start:end]) if name in _LISTS else self.blocks(lines[start:end])
        return f"<h4>{escape(name)}</h4>{body}", end

    def definitions(self, lines: list[str]) -> str:
        entries: list[tuple[str, list[str]]] = []
        for line in lines:
            if line.strip() and not line.startswith(" "):
                entries.append((line.strip(), []))
            elif entries:
                entries[-1][1].append(line)
        items = []
        for name, body in entries:
            term, _, kind = name.partition(" : ")
            shown = f"<dt><code>{escape(term)}</code>{' : ' + escape(kind) if kind else ''}</dt>"
            items.append(f"{shown}<dd>{self.blocks(inspect.cleandoc(chr(10).join(['', *body])).splitlines())}</dd>")
        return f'<dl class="parameters">{"".join(items)}</dl>'

    def doctest(self, lines: list[str], i: int) -> tuple[str, int] | None:
        if not lines[i].lstrip().startswith(">>>"):
            return None
        end = _end_of_paragraph(lines, i)
        return _block(lines[i:end]), end

    def formula(self, lines: list[str], i: int) -> tuple[str, int] | None:
        if not lines[i].strip().startswith(".. math::"):
            return None
        end = i + 1
        while end < len(lines) and (not lines[end].strip() or lines[end].startswith("   ")):
            end += 1
        body = " ".join([lines[i].strip().removeprefix(".. math::"), *(line.strip() for line in lines[i + 1 : end])])
        return f'<div class="formula">{to_mathml(body.strip(), display=True)}</div>', end

    def table(self, lines: list[str], i: int) -> tuple[str, int] | None:
        rule = lines[i].strip()
        if not _RULE.match(rule):
            return None
        margin = len(lines[i]) - len(lines[i].lstrip())
        rules = [k for k in range(i, len(lines)) if lines[k].strip() == rule]
        end = rules[-1] + 1 if len(rules) > 1 else len(lines)
        starts = [margin + m.start() for m in re.finditer("=+", rule)]
        rows: list[list[str]] = []
        for line in (lines[k] for k in range(i + 1, end) if k not in rules):
            cells = [line[a:b].strip() for a, b in zip(starts, [*starts[1:], None], strict=True)]
            if rows and not cells[0]:
                rows[-1] = [" ".join(filter(None, pair)) for pair in zip(rows[-1], cells, strict=True)]
            elif any(cells):
                rows.append(cells)
        n_heads = 1 if len(rules) == 3 else 0
        tags = ["th" if k < n_heads else "td" for k in range(len(rows))]
        body = "".join(
            "<tr>" + "".join(f"<{tag}>{self.inline(cell)}</{tag}>" for cell in row) + "</tr>"
            for tag, row in zip(tags, rows, strict=True)
        )
        return f'<div class="scroll"><table>{body}</table></div>', end

    def bullets(self, lines: list[str], i: int) -> tuple[str, int] | None:
        if not lines[i].startswith("- "):
            return None
        end, items = _end_of_paragraph(lines, i), []
        for line in lines[i:end]:
            if line.startswith("- "):
                items.append(line[2:])
            else:
                items[-1] += " " + line.strip()
        return "<ul>" + "".join(f"<li>{self.inline(item)}</li>" for item in items) + "</ul>", end

    def literal(self, lines: list[str], i: int) -> tuple[str, int] | None:
        if not lines[i].startswith("    "):
            return None
        end = i
        while end < len(lines) and (not lines[end].strip() or lines[end].startswith("    ")):
            end += 1
        return _block(lines[i:end]), end

    def paragraph(self, lines: list[str], i: int) -> tuple[str, int]:
        end = i + 1
        while end < len(lines) and lines[end].strip() and not _starts_block(lines, end):
            end += 1
        text = " ".join(line.strip() for line in lines[i:end])
        return f"<p>{self.inline(re.sub(r'::$', ':', text))}</p>", end


def _is_heading(lines: list[str], i: int) -> bool:
    if i + 1 >= len(lines) or lines[i].startswith(" "):
        return False
    return bool(re.fullmatch(r"-{3,}", lines[i + 1].strip())) and lines[i].strip().istitle()


def _starts_block(lines: list[str], i: int) -> bool:
    line = lines[i].strip()
    return line.startswith((">>>", ".. math::")) or bool(_RULE.match(line)) or lines[i].startswith("- ") or _is_heading(lines, i)


def _end_of_paragraph(lines: list[str], i: int) -> int:
    return next((k for k in range(i, len(lines)) if not lines[k].strip()), len(lines))


def _block(lines: list[str]) -> str:
    """Lines as they are; keys reach it, because it scrolls where it is wider than the page."""
    return f'<pre tabindex="0">{escape(inspect.cleandoc(chr(10).join(["", *lines])))}</pre>'
