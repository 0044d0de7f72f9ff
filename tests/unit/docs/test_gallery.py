"""Every script of the documentation runs, says something, and draws something that is described in words."""

from __future__ import annotations

import ast
import base64
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from plica_docs.gallery import Script, every_script, highlighted, mentions, names_used, read, run, shown


@pytest.mark.parametrize("script", every_script(), ids=lambda script: script.slug)
def test_script_runs_prints_and_draws(script: Script) -> None:
    result = run(script)
    assert len(result.printed) == len(script.parts) and "".join(result.printed).count("\n") >= 3
    assert not any(said for said, (kind, _) in zip(result.printed, script.parts, strict=True) if kind == "prose")
    root = ElementTree.fromstring(result.svg)  # noqa: S314 written a moment ago
    assert root.get("role") == "img" and root.get("aria-label") == result.alt
    assert len(result.alt) > 40 and result.alt.endswith(".")
    assert len(list(root.iter())) > 20
    assert base64.b64decode(result.thumbnail.removeprefix("data:image/png;base64,")).startswith(b"\x89PNG")


@pytest.mark.parametrize("script", every_script(), ids=lambda script: script.slug)
def test_script_is_short_and_explains_itself(script: Script) -> None:
    code = [line for kind, text in script.parts if kind == "code" for line in text.splitlines() if line.strip()]
    assert 12 <= len(code) <= 48
    assert len(script.intro) > 80 and any(kind == "prose" for kind, _ in script.parts)


@pytest.mark.parametrize("script", every_script(), ids=lambda script: script.slug)
def test_script_uses_public_names_only(script: Script) -> None:
    for node in ast.walk(ast.parse(script.path.read_text(encoding="utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        assert not any(part.startswith("_") for name in names for part in name.split("."))
        assert not (isinstance(node, ast.Attribute) and node.attr.startswith("_"))


def test_prose_and_code_together_are_the_file() -> None:
    for script in every_script():
        source = script.path.read_text(encoding="utf-8")
        for kind, text in script.parts:
            for line in text.splitlines() if kind == "code" else ():
                assert line in source
            if kind == "prose":
                assert text.split()[0] in source and not text.startswith("#")


def test_what_a_block_prints_is_told_below_it(tmp_path: Path) -> None:
    path = tmp_path / "01_two.py"
    text = [
        '"""Two.\n\nBlocks.\n"""',
        "import matplotlib.pyplot as plt",
        "print(1)",
        "# Words.",
        "print(2)\nfigure, ax = plt.subplots()",
    ]
    path.write_text("\n\n".join([*text, 'alt = (\n    "One "\n    "figure."\n)\nprint(3)', ""]))
    script = read(path)
    assert run(script).printed == ("1\n", "", "2\n3\n")
    assert "alt" not in shown(script.parts[-1][1]) and "print(3)" in shown(script.parts[-1][1])


def test_names_are_found_where_they_are_in_lines_with_other_letters() -> None:
    code = "s = 'é'; cx = plica.decompose(net, plica.Box(a, b))"
    found = {code[a[1] : b[1]]: full for a, b, full in mentions(code, {"plica": "plica"})}
    assert found == {"plica": "plica", "plica.decompose": "plica.decompose", "plica.Box": "plica.Box"}


def test_highlighting_changes_nothing_but_colors() -> None:
    from html.parser import HTMLParser

    class Text(HTMLParser):
        text = ""

        def handle_data(self, data: str) -> None:
            self.text += data

    for script in every_script():
        names = names_used(script)
        for kind, code in script.parts:
            if kind == "code":
                parser = Text()
                links = {start: (end, "x.html") for start, end, _ in mentions(code, names)}
                assert highlighted(code, links).count("<a ") == highlighted(code, links).count("</a>") >= bool(links)
                parser.feed(highlighted(code, links))
                assert parser.text.rstrip("\n") == code.rstrip("\n")


def test_prose_is_typeset_stressed_and_escaped() -> None:
    from plica_docs.site import _prose

    html = str(_prose("The answer is *sat* for 2^L < 4 pieces of `a*b*c < 2^L`, and 3 * 4 * 5 stays."))
    assert "<em>sat</em>" in html and "<msup>" in html and "^" not in html.split("<code>")[0]
    assert "<code>a*b*c &lt; 2^L</code>" in html and "<mo>·</mo><mn>5</mn></mrow></math> stays" in html


def test_no_page_shows_marks_that_should_have_become_something() -> None:
    from plica_docs.site import _prose

    for script in every_script():
        for text in (script.intro, *(text for kind, text in script.parts if kind == "prose")):
            shown = re.sub(r"<code>.*?</code>|<math>.*?</math>", "", str(_prose(text)))
            assert not re.search(r"\^|\*\w|\w\*(?!\w)|`|<=|>=", shown), (script.path.name, text)
