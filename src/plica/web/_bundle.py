"""ES modules as one text, for pages and notebooks that have no server to hand them out."""

from __future__ import annotations

import re
from collections.abc import Mapping

from plica.errors import PlicaError

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))", re.MULTILINE)
_AS = re.compile(r"\s+as\s+")


def bundle(modules: Mapping[str, str], entry: str) -> str:
    """The module ``entry`` with everything it imports, each in a function of its own, in an order in which they can be run.

    Parameters
    ----------
    modules
        Texts by file name; imports are of the form ``import { a, b as c } from "./file.js";``.
    entry
        The module whose own exports stay.

    Examples
    --------
    >>> texts = {"a.js": "export const one = 1;\\n", "b.js": 'import { one } from "./a.js";\\nexport default one;\\n'}
    >>> print(bundle(texts, "b.js"))
    const $a = (() => {
    const one = 1;
    return { one };
    })();
    const { one } = $a;
    export default one;
    """
    done: list[str] = []
    parts: list[str] = []

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in done:
            return
        if name in path or name not in modules:
            raise PlicaError(f"the module {name!r} is missing or imports itself.", hint="install plica again")
        text = modules[name]
        for _, other in _IMPORT.findall(text):
            visit(other, (*path, name))
        body = _IMPORT.sub(lambda m: f"const {{{_AS.sub(': ', m[1])}}} = {_variable(m[2])};\n", text)
        rest = body if name == entry else _EXPORT.sub("", body)
        if re.search(r"^import\b" if name == entry else r"^(im|ex)port\b", rest, re.MULTILINE):
            raise PlicaError(f"an import or export of {name!r} has a form that cannot be bundled.")
        done.append(name)
        if name == entry:
            parts.append(rest.rstrip("\n"))
            return
        exports = ", ".join(_EXPORT.findall(body))
        parts.append(f"const {_variable(name)} = (() => {{\n{rest.rstrip()}\nreturn {{ {exports} }};\n}})();")

    visit(entry, ())
    return "\n".join(parts)


def reached(modules: Mapping[str, str], entry: str) -> list[str]:
    """The modules that ``entry`` imports, and those that they import.

    Examples
    --------
    >>> reached({"a.js": 'import { b } from "./b.js";\\n', "b.js": "", "c.js": ""}, "a.js")
    ['b.js']
    """
    found: list[str] = []
    todo = [entry]
    while todo:
        for _, name in _IMPORT.findall(modules[todo.pop()]):
            if name not in found:
                found.append(name)
                todo.append(name)
    return found


def _variable(name: str) -> str:
    return "$" + name.removesuffix(".js").replace(".", "_")
