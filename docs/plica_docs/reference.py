"""The reference: every public name of every package, from ``__all__`` and docstrings."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from importlib import import_module
from types import ModuleType
from typing import Any, ForwardRef

import plica
from plica.claims import bibliography
from plica_docs.docstrings import first_line, to_html

CLOSED = ("plica.cli", "plica.__main__", "plica.geometry.")  # a command line, which explains itself; rooms behind one door


@dataclass(frozen=True)
class Entry:
    """A name on a page. ``home`` is the page that describes it."""

    name: str
    page: str
    home: str
    value: Any

    @property
    def kind(self) -> str:
        if inspect.ismodule(self.value):
            return "module"
        if inspect.isclass(self.value):
            return "class"
        return "function" if callable(self.value) else "data"

    @property
    def is_called(self) -> bool:
        return self.kind in ("class", "function")


def packages() -> Iterator[ModuleType]:
    """Every module with a public door. Topics of claims are in the catalog instead."""
    yield plica
    yield from _below(plica)


def _below(parent: ModuleType) -> Iterator[ModuleType]:
    for info in pkgutil.iter_modules(getattr(parent, "__path__", ())):
        name = f"{parent.__name__}.{info.name}"
        if info.name.startswith("_") or name.startswith(CLOSED):
            continue
        module = import_module(name)
        if door(module):
            yield module
            yield from _below(module)


def door(module: ModuleType) -> list[str]:
    """The public names: ``__all__``, or what a plain module defines and does not hide. Packages must say it."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    if hasattr(module, "__path__"):
        return []
    mine = {name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__}
    constants = {name for name in vars(module) if name.isupper()}
    return sorted(name for name in mine | constants if not name.startswith("_"))


class Reference:
    """All entries by page, and the addresses of names and sources."""

    def __init__(self) -> None:
        self.modules = {module.__name__: module for module in packages()}
        offered: dict[int, list[str]] = {}
        for page, module in self.modules.items():
            for name in door(module):
                offered.setdefault(id(getattr(module, name)), []).append(page)
        self.pages: dict[str, list[Entry]] = {}
        for page, module in self.modules.items():
            values = [(name, getattr(module, name)) for name in door(module) if name != "__version__"]
            self.pages[page] = [Entry(name, page, self._home(page, value, offered), value) for name, value in values]

    def _home(self, page: str, value: Any, offered: dict[int, list[str]]) -> str:
        if inspect.ismodule(value):
            return value.__name__ if value.__name__ in self.modules else page
        written = getattr(value, "__module__", None)
        if written is None or not callable(value):
            return page

        def closeness(candidate: str) -> tuple[int, int]:
            same = 0
            for a, b in zip(candidate.split("."), written.split("."), strict=False):
                if a != b:
                    break
                same += 1
            return same, len(candidate)

        return max(offered[id(value)], key=closeness)

    @cached_property
    def addresses(self) -> dict[str, str]:
        """Full names, and those short names that mean one thing only."""
        found: dict[str, str] = {name: f"{name}.html" for name in self.modules}
        short: dict[str, set[str]] = {}
        for page, entries in self.pages.items():
            for entry in entries:
                if entry.kind == "module":
                    continue
                address = f"{entry.home}.html#{entry.name}"
                found[f"{page}.{entry.name}"] = address
                short.setdefault(entry.name, set()).add(address)
                for name, _ in members(entry.value) if entry.kind == "class" else ():
                    found[f"{page}.{entry.name}.{name}"] = f"{entry.home}.html#{entry.name}.{name}"
                    short.setdefault(f"{entry.name}.{name}", set()).add(f"{entry.home}.html#{entry.name}.{name}")
        return {name: next(iter(where)) for name, where in short.items() if len(where) == 1} | found

    def resolver(self, page: str, owner: str = "", *, prefix: str = "") -> Any:
        """Addresses as seen from a page, and from a class on it."""

        def resolve(role: str, target: str) -> str | None:
            if role == "cite":
                return f"{prefix}../sources.html#{target}" if target in bibliography() else None
            target = re.sub(r"\(.*", "", target)
            for name in (f"{page}.{owner}.{target}", f"{page}.{target}", target):
                if name in self.addresses:
                    return prefix + self.addresses[name]
            return None

        return resolve

    def summary(self, entry: Entry) -> str:
        if entry.kind == "data":
            return f"<code>{escape(shortened(repr(entry.value), 160))}</code>"
        return first_line(inspect.getdoc(entry.value), self.resolver(entry.page))

    def body(self, entry: Entry) -> str:
        """The docstring of an entry; of a class also its public members."""
        resolve = self.resolver(entry.page, entry.name)
        if entry.kind == "data":
            return f'<pre tabindex="0">{escape(shortened(repr(entry.value), 2000))}</pre>'
        parts = [to_html(inspect.getdoc(entry.value) or "", resolve)]
        if entry.kind == "class":
            for name, member in members(entry.value):
                text = to_html(inspect.getdoc(member) or "", resolve)
                call = "" if isinstance(member, property) or not callable(member) else signature(member)
                anchor = f"{entry.name}.{name}"
                parts.append(f'<section class="member" id="{anchor}"><h4><code>{escape(name + call)}</code></h4>{text}</section>')
        return "".join(parts)


def members(value: Any) -> list[tuple[str, Any]]:
    """Documented public methods and properties, of the class itself or of its bases in Plica."""
    found: dict[str, Any] = {}
    for base in reversed(value.__mro__):
        if not base.__module__.startswith("plica"):
            continue
        for name, member in vars(base).items():
            plain = getattr(member, "__func__", member)
            plain = property(plain.func, doc=plain.__doc__) if hasattr(plain, "attrname") else plain  # cached_property
            if not name.startswith("_") and (isinstance(plain, property) or inspect.isfunction(plain)) and plain.__doc__:
                found[name] = plain
    return sorted(found.items())


class _Written(str):
    """An annotation that shows itself without quotes."""

    def __repr__(self) -> str:
        return str(self)


def signature(value: Any) -> str:
    """The signature as it is written, without addresses of memory; empty where there is none."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    parameters = [p.replace(annotation=_as_written(p.annotation)) for p in found.parameters.values() if p.name != "self"]
    returned = inspect.Signature.empty if inspect.isclass(value) else _as_written(found.return_annotation)
    text = str(found.replace(parameters=parameters, return_annotation=returned))
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def _as_written(annotation: Any) -> Any:
    """A type as the code says it: fields of named tuples keep theirs as references."""
    text = annotation.__forward_arg__ if isinstance(annotation, ForwardRef) else annotation
    return _Written(text) if isinstance(text, str) else annotation


def shortened(text: str, limit: int) -> str:
    text = re.sub(r" at 0x[0-9a-f]+", "", text)
    return text if len(text) <= limit else text[: limit - 1] + "…"
