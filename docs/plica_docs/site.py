"""The pages, written into a folder: every one a file by itself, nothing loaded from elsewhere."""

from __future__ import annotations

import base64
import inspect
import json
import re
from collections.abc import Callable
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any
from unicodedata import combining, normalize

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

import plica
from plica.claims import Catalog, Claim, catalog
from plica.claims._bibliography import bibliography, keys
from plica.claims._mathematics import to_html as mathematics
from plica.lectures import lectures, sight
from plica.report import Found, lecture_page, run_claim
from plica.report._page import color_scales
from plica.web import lesson
from plica_docs import gallery
from plica_docs.commands import commands, shared
from plica_docs.docstrings import first_line, to_html
from plica_docs.lectures import LECTURES
from plica_docs.reference import Reference, signature
from plica_docs.statements import parts

#: What `tools/mutations --page` wrote.
ERRORS = Path(__file__).parents[1] / "mutations.json"

#: Scripts of a section that are shown on the first page.
MOST_CARDS = 6

Say = Callable[[str], None]


class Site:
    """A folder of pages. ``run`` executes the gallery; ``check`` runs every claim and shows what it measured.

    What claims measured is kept in ``store``, if one is given, and not run again while it is the same code.
    """

    def __init__(
        self, out: Path, *, run: bool = True, check: bool = False, store: Path | None = None, say: Say = lambda line: None
    ) -> None:
        self.out, self.run, self.check, self.store, self.say = out, run, check, store, say
        self.environment = Environment(
            loader=FileSystemLoader(Path(__file__).parent / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.filters["prose"] = _prose
        self.environment.filters["breakable"] = _breakable
        self.style = Markup(_style())  # noqa: S704 written by this project
        self.claims = catalog()
        self.reference = Reference()
        self.found: dict[str, Found] = {}
        self.thumbnails: dict[str, str] = {}
        self.used: dict[str, dict[str, str]] = {}  # by the address of a name in the reference: titles of pages that use it

    def build(self) -> list[Path]:
        """Write all pages; the files that were written."""
        written = [
            *self._scripts(),
            self._index(),
            *self._claims(),
            *self._api(),
            self._commands(),
            self._lecturers(),
            self._statements(),
            self._sources(),
        ]
        written += self._lectures() if self.check else []
        written.append(self._search())
        self.say(f"{len(written)} pages in {self.out}")
        return written

    def _write(self, address: str, template: str, **values: Any) -> Path:
        path = self.out / address
        path.parent.mkdir(parents=True, exist_ok=True)
        root = "../" * address.count("/")
        page = self.environment.get_template(template).render(
            root=root, address=address, style=self.style, version=plica.__version__, **values
        )
        path.write_text(page, encoding="utf-8")
        return path

    def _index(self) -> Path:
        verdicts = [claim.expected for claim in self.claims]
        numbers = {
            "claims": len(verdicts),
            "refuted": verdicts.count("refuted"),
            "scripts": len(gallery.every_script()),
            "names": sum(len(entries) for entries in self.reference.pages.values()),
        }
        topics = [(topic, self._topic_title(topic), len(self.claims.select(topic=topic))) for topic in self.claims.topics]
        sections = [(*head, scripts[:MOST_CARDS], len(scripts)) for *head, scripts in self._sections()]
        known = {"sections": sections, "numbers": numbers, "topics": topics, "picture": _picture("regions.png")}
        return self._write("index.html", "index.html.j2", **known)

    def _sections(self) -> list[tuple[str, str, str, list[tuple[gallery.Script, str]]]]:
        """Folder, title and purpose of every section, and its scripts with their small pictures."""
        return [
            (name, title, text, [(script, self.thumbnails.get(script.address, "")) for script in gallery.scripts(name)])
            for name, (title, text) in gallery.SECTIONS.items()
        ]

    def _scripts(self) -> list[Path]:
        """The pages of all scripts, in their sections, the index of each, and the scripts themselves beside them."""
        written = []
        every = gallery.every_script()
        for i, script in enumerate(every):
            if self.run:
                self.say(f"running {script.address}")
            result = gallery.run(script) if self.run else None
            self.thumbnails[script.address] = result.thumbnail if result else ""
            names = gallery.names_used(script)
            parts = [
                (kind, self._code(script, text, names) if kind == "code" else _prose(text), result.printed[k] if result else "")
                for k, (kind, text) in enumerate(script.parts)
            ]
            written.append(
                self._write(
                    script.address,
                    "gallery.html.j2",
                    script=script,
                    parts=[(kind, text, printed) for kind, text, printed in parts if text],
                    result=result,
                    svg=_trusted(result.svg) if result else "",
                    interactive=_trusted(result.interactive) if result else "",
                    before=every[i - 1] if i else None,
                    after=every[i + 1] if i + 1 < len(every) else None,
                )
            )
            if script.file:
                (self.out / script.section / script.file).write_bytes(script.path.read_bytes())
        for name, title, text, scripts in self._sections():
            written.append(self._write(f"{name}/index.html", "gallery_index.html.j2", title=title, text=text, scripts=scripts))
        return written

    def _code(self, script: gallery.Script, text: str, names: dict[str, str]) -> Markup:
        """A block with links from names of the library to the reference, which learns where it is used."""
        code = gallery.shown(text)
        links: dict[tuple[int, int], tuple[tuple[int, int], str]] = {}
        for start, end, full in gallery.mentions(code, names):
            address = self.reference.addresses.get(full)
            if address and full != "plica" and end > links.get(start, (start, ""))[0]:
                links[start] = (end, f"../api/{address}")
                self.used.setdefault(address, {})[script.address] = script.title
        return _trusted(gallery.highlighted(code, links))

    def _commands(self) -> Path:
        return self._write("commands.html", "commands.html.j2", commands=commands(), shared=shared())

    def _search(self) -> Path:
        """A page that finds words in all others, by itself: in titles, first sentences and, counting less, in what follows."""
        titles = {name: title for name, (title, _) in gallery.SECTIONS.items()}
        entries = []
        for script in gallery.every_script():
            body = " ".join(text for kind, text in script.parts)
            entries.append((script.title, titles[script.section], _plain(script.intro), script.address, body))
        for command in commands():
            body = " ".join([*command.text[1:], command.example, *(" ".join(option) for option in command.options)])
            entries.append((command.name, "command", command.text[0], f"commands.html#{command.anchor}", body))
        for page, address in (("Statement by statement", "statements.html"), ("For lecturers", "lecturers.html")):
            entries.append((page, "page", "What lectures say, scenes for slides, and the claims that measure them.", address, ""))
        for claim in self.claims:
            text = f"{claim.id}: {' '.join(claim.statement.split())}"
            body = " ".join([claim.source, *claim.sections().values()])
            entries.append((claim.title, f"claim, {claim.expected}", text, _claim_address(self.claims, claim.id), body))
        for page, module in self.reference.modules.items():
            entries.append((page, "package", _plain((inspect.getdoc(module) or "").split("\n\n")[0]), f"api/{page}.html", ""))
            for entry in (each for each in self.reference.pages[page] if each.home == page):
                text = _trusted(self.reference.summary(entry)).striptags()
                entries.append((entry.name, f"{entry.kind} of {page}", text, f"api/{page}.html#{entry.name}", ""))
        told = [[*entry[:4], _further_words(entry)] for entry in entries]
        data = json.dumps(told, ensure_ascii=False).replace("</", "<\\/")
        return self._write("search.html", "search.html.j2", data=_trusted(data), n=len(entries))

    def _topic_title(self, topic: str) -> str:
        return (import_module(f"plica.claims.{topic}").__doc__ or topic).strip().rstrip(".")

    def _claims(self) -> list[Path]:
        topics = {topic: self.claims.select(topic=topic) for topic in self.claims.topics}
        titles = {topic: self._topic_title(topic) for topic in topics}
        listed = {topic: [self._card(claim, brief=True) for claim in claims] for topic, claims in topics.items()}
        verdicts = sorted({claim.expected for claim in self.claims})
        known: dict[str, Any] = {"topics": listed, "titles": titles, "verdicts": verdicts, "n": len(self.claims)}
        written = [self._write("claims/index.html", "claims_index.html.j2", **known)]
        empty = {"rows": [], "survivors": [], "equivalent": [], "power": {}, "without": {}, "date": ""}
        found = json.loads(ERRORS.read_text(encoding="utf-8")) if ERRORS.exists() else empty
        written.append(self._write("claims/errors.html", "errors.html.j2", **found))
        order = [None, *titles.items(), None]
        for i, (topic, claims) in enumerate(topics.items()):
            cards = [self._card(claim) for claim in claims]
            values: dict[str, Any] = {"title": titles[topic], "cards": cards, "before": order[i], "after": order[i + 2]}
            written.append(self._write(f"claims/{topic}.html", "claims_topic.html.j2", **values))
        return written

    def _card(self, claim: Claim, *, brief: bool = False) -> dict[str, Any]:
        card: dict[str, Any] = {"claim": claim, "title": _math(claim.title), "style": claim.expected.replace(" ", "-")}
        card["lesson"] = lesson(claim.id)
        if brief:
            card["words"] = _searched(f"{claim.id} {claim.title} {claim.statement} {claim.source}")
            return card
        card["sections"] = [(name, self._with_links(claim, _math(text))) for name, text in claim.sections().items()]
        card["keys"] = [key for key in keys(f"{claim.source} {claim.remark}") if key in bibliography()]
        card["see"] = [(other, _claim_address(self.claims, other)) for other in claim.see]
        card["sight"] = sight(claim.id)
        record = claim.record
        card["record"] = "" if record is None else f"{record.verdict} on {record.date}, {record.seconds:,.0f} s, {record.machine}"
        card["evidence"] = None
        if self.check:
            self.say(f"checking {claim.id}")
            self.found[claim.id] = card["evidence"] = found = run_claim(claim, "quick", store=self.store, strict=True)
            card["table"], card["figure"], card["note"] = _trusted(found.table), _trusted(found.figure), _math(found.note)
        return card

    def _with_links(self, claim: Claim, html: Markup) -> Markup:
        """Names of the library lead to the reference, which learns what claims stand on them."""

        def linked(found: re.Match[str]) -> str:
            address = self.reference.addresses.get(found[1])
            if address is not None:
                self.used.setdefault(address, {})[_claim_address(self.claims, claim.id)] = claim.id
            return found[0] if address is None else f'<a href="../api/{address}">{found[0]}</a>'

        return _trusted(re.sub(r"<code>(plica[\w.]*\w)(?:\(.*?)?</code>", linked, html))

    def _api(self) -> list[Path]:
        reference = self.reference
        summaries = [
            (page, _trusted(first_line(inspect.getdoc(module), reference.resolver(page))))
            for page, module in sorted(reference.modules.items())
        ]
        written = [self._write("api/index.html", "api_index.html.j2", packages=summaries)]
        for page, module in reference.modules.items():
            entries = sorted(reference.pages[page], key=lambda entry: entry.name.lower())
            written.append(
                self._write(
                    f"api/{page}.html",
                    "api.html.j2",
                    page=page,
                    intro=_trusted(to_html(module.__doc__ or "", reference.resolver(page))),
                    entries=[(entry, _trusted(reference.summary(entry))) for entry in entries],
                    described=[
                        (
                            entry,
                            signature(entry.value) if entry.is_called else "",
                            _trusted(reference.body(entry)),
                            self._where_used(entry.name, page),
                        )
                        for entry in entries
                        if entry.home == page
                    ],
                )
            )
        return written

    def _where_used(self, name: str, page: str) -> list[tuple[str, str]]:
        """Scripts and claims that use a name, or a member of it: address and title; scripts first."""
        address = f"{page}.html#{name}"
        places = [pages for where, pages in self.used.items() if where == address or where.startswith(f"{address}.")]
        found = {where: title for pages in places for where, title in pages.items()}
        return sorted(found.items(), key=lambda item: item[0].startswith("claims/"))

    def _lecturers(self) -> Path:
        addresses = {c: _claim_address(self.claims, c) for lecture in LECTURES for s in lecture.scenes for c in s.claims}
        verdicts = {id: self.claims[id].expected for id in addresses}
        titles = {script.slug: script.title for script in gallery.scripts()}
        known: dict[str, Any] = {"addresses": addresses, "verdicts": verdicts, "titles": titles}
        known["pages"] = list(lectures().values()) if self.check else []
        return self._write("lecturers.html", "lecturers.html.j2", lectures=LECTURES, **known)

    def _statements(self) -> Path:
        return self._write("statements.html", "statements.html.j2", parts=parts(self.claims))

    def _lectures(self) -> list[Path]:
        """Every lecture as it was run, each a page that needs no other."""
        written = []
        for each in lectures().values():
            chosen = {claim.id: self.found[claim.id] for claim in each.claims()}
            path = self.out / f"lecture-{each.name}.html"
            states = {id: state for id in chosen if (state := lesson(id))}
            path.write_text(lecture_page(each, chosen, scale="quick", states=states), encoding="utf-8")
            written.append(path)
        return written

    def _sources(self) -> Path:
        used = {key: [] for key in bibliography()}  # type: dict[str, list[Claim]]
        for claim in self.claims:
            for key in keys(f"{claim.source} {claim.remark}"):
                if key in used:
                    used[key].append(claim)
        return self._write("sources.html", "sources.html.j2", entries=bibliography(), used=used)


def _claim_address(claims: Catalog, id: str) -> str:
    return f"claims/{claims[id].topic}.html#{id}"


def _plain(text: str) -> str:
    """A paragraph without its marks, for a list of what was found."""
    return re.sub(r":\w+:(?=`)|[`*]", "", " ".join(text.split()))


def _further_words(entry: tuple[str, str, str, str, str]) -> str:
    """The words of a page that its title and first sentence do not say, each once."""
    seen, body = (dict.fromkeys(re.findall(r"[^\W\d_]{3,}|\d{3,}", part.lower())) for part in (" ".join(entry[:3]), entry[4]))
    return " ".join(word for word in body if word not in seen)


def _searched(text: str) -> str:
    """Small letters without their accents, for those who cannot type them.

    >>> _searched("Montúfar,  Håstad")
    'montufar, hastad'
    """
    return " ".join("".join(c for c in normalize("NFD", text.lower()) if not combining(c)).split())


def _math(text: str) -> Markup:
    return _trusted(mathematics(" ".join(text.split())))


def _prose(text: str) -> Markup:
    """Formulas typeset, what stands between backquotes as code, what stands between asterisks stressed."""
    parts = re.split(r"`([^`]+)`", text)
    return _trusted("".join(f"<code>{escape(part)}</code>" if k % 2 else _stressed(part) for k, part in enumerate(parts)))


def _breakable(name: str) -> Markup:
    """A name that a narrow column breaks between its words, and nowhere else.

    >>> str(_breakable("decision_boundary")), str(_breakable("PlaneComplex"))
    ('decision_<wbr>boundary', 'Plane<wbr>Complex')
    """
    return _trusted(re.sub(r"(?<=_)(?=\w)|(?<=[a-z])(?=[A-Z])", "<wbr>", str(escape(name))))


def _stressed(text: str) -> str:
    return re.sub(r"\*(\w[^*<]*)\*", r"<em>\1</em>", mathematics(text))


def _picture(name: str) -> str:
    """A picture of the documentation as an address that holds it."""
    data = (Path(__file__).parents[1] / "images" / name).read_bytes()
    return "data:image/png;base64," + base64.b64encode(data).decode("ascii")


def _trusted(html: str) -> Markup:
    """HTML made by this project from escaped parts."""
    return Markup(html)  # noqa: S704


def _style() -> str:
    """The style of the reports, and what the site adds."""
    folder = files("plica.report").joinpath("templates")
    parts = [folder.joinpath(name).read_text(encoding="utf-8") for name in ("style.css", "scoreboard.css")]
    scales = color_scales()
    tints = {name: "".join(f"--t{i}:{color};" for i, color in enumerate(colors)) for name, colors in scales.items()}
    colors = f":root{{{tints['light']}}}@media screen and (prefers-color-scheme: dark){{:root{{{tints['dark']}}}}}"
    colors += "".join(f".t{i}{{fill:var(--t{i})}}" for i in range(len(scales["light"])))
    return "\n".join([colors, *parts, (Path(__file__).parent / "templates" / "docs.css").read_text(encoding="utf-8")])
