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
from plica_docs.docstrings import first_line, to_html
from plica_docs.lectures import LECTURES
from plica_docs.reference import Reference, signature
from plica_docs.statements import parts

#: What `tools/mutations --page` wrote.
ERRORS = Path(__file__).parents[1] / "mutations.json"

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
        self.style = Markup(_style())  # noqa: S704 written by this project
        self.claims = catalog()
        self.reference = Reference()
        self.found: dict[str, Found] = {}
        self.thumbnails: dict[str, str] = {}

    def build(self) -> list[Path]:
        """Write all pages; the files that were written."""
        written = [
            *self._scripts(),
            self._index(),
            *self._claims(),
            *self._api(),
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
        known = {"sections": self._sections(), "numbers": numbers, "topics": topics, "picture": _picture("regions.png")}
        return self._write("index.html", "index.html.j2", **known)

    def _sections(self) -> list[tuple[str, str, str, list[tuple[gallery.Script, str]]]]:
        """Folder, title and purpose of every section, and its scripts with their small pictures."""
        return [
            (name, title, text, [(script, self.thumbnails.get(script.address, "")) for script in gallery.scripts(name)])
            for name, (title, text) in gallery.SECTIONS.items()
        ]

    def _scripts(self) -> list[Path]:
        """The pages of all scripts, in their sections, and the index of each."""
        written = []
        every = gallery.every_script()
        for i, script in enumerate(every):
            if self.run:
                self.say(f"running {script.address}")
            result = gallery.run(script) if self.run else None
            self.thumbnails[script.address] = result.thumbnail if result else ""
            written.append(
                self._write(
                    script.address,
                    "gallery.html.j2",
                    script=script,
                    parts=[
                        (kind, _trusted(gallery.highlighted(text)) if kind == "code" else _prose(text))
                        for kind, text in script.parts
                    ],
                    result=result,
                    svg=_trusted(result.svg) if result else "",
                    interactive=_trusted(result.interactive) if result else "",
                    before=every[i - 1] if i else None,
                    after=every[i + 1] if i + 1 < len(every) else None,
                )
            )
        for name, title, text, scripts in self._sections():
            written.append(self._write(f"{name}/index.html", "gallery_index.html.j2", title=title, text=text, scripts=scripts))
        return written

    def _search(self) -> Path:
        """A page that finds words in titles and first sentences of all others, by itself."""
        titles = {name: title for name, (title, _) in gallery.SECTIONS.items()}
        entries = [(each.title, titles[each.section], each.intro, each.address) for each in gallery.every_script()]
        for claim in self.claims:
            text = f"{claim.id}: {' '.join(claim.statement.split())}"
            entries.append((claim.title, f"claim, {claim.expected}", text, _claim_address(self.claims, claim.id)))
        for page, named in self.reference.pages.items():
            for entry in (each for each in named if each.home == page):
                text = _trusted(self.reference.summary(entry)).striptags()
                entries.append((entry.name, f"{entry.kind} of {page}", text, f"api/{page}.html#{entry.name}"))
        data = json.dumps([list(entry) for entry in entries], ensure_ascii=False).replace("</", "<\\/")
        return self._write("search.html", "search.html.j2", data=_trusted(data), n=len(entries))

    def _topic_title(self, topic: str) -> str:
        return (import_module(f"plica.claims.{topic}").__doc__ or topic).strip().rstrip(".")

    def _claims(self) -> list[Path]:
        topics = {topic: self.claims.select(topic=topic) for topic in self.claims.topics}
        titles = {topic: self._topic_title(topic) for topic in topics}
        listed = {topic: [self._card(claim, brief=True) for claim in claims] for topic, claims in topics.items()}
        written = [self._write("claims/index.html", "claims_index.html.j2", topics=listed, titles=titles, n=len(self.claims))]
        empty = {"rows": [], "survivors": [], "equivalent": [], "power": {}, "without": {}, "date": ""}
        found = json.loads(ERRORS.read_text(encoding="utf-8")) if ERRORS.exists() else empty
        written.append(self._write("claims/errors.html", "errors.html.j2", **found))
        for topic, claims in topics.items():
            cards = [self._card(claim) for claim in claims]
            written.append(self._write(f"claims/{topic}.html", "claims_topic.html.j2", title=titles[topic], cards=cards))
        return written

    def _card(self, claim: Claim, *, brief: bool = False) -> dict[str, Any]:
        card: dict[str, Any] = {"claim": claim, "title": _math(claim.title), "style": claim.expected.replace(" ", "-")}
        if brief:
            return card
        card["sections"] = [(name, self._with_links(_math(text))) for name, text in claim.sections().items()]
        card["keys"] = [key for key in keys(f"{claim.source} {claim.remark}") if key in bibliography()]
        card["see"] = [(other, _claim_address(self.claims, other)) for other in claim.see]
        card["lesson"] = lesson(claim.id)
        card["sight"] = sight(claim.id)
        record = claim.record
        card["record"] = "" if record is None else f"{record.verdict} on {record.date}, {record.seconds:,.0f} s, {record.machine}"
        card["evidence"] = None
        if self.check:
            self.say(f"checking {claim.id}")
            self.found[claim.id] = card["evidence"] = found = run_claim(claim, "quick", store=self.store, strict=True)
            card["table"], card["figure"], card["note"] = _trusted(found.table), _trusted(found.figure), _math(found.note)
        return card

    def _with_links(self, html: Markup) -> Markup:
        """Names of the library lead to the reference."""

        def linked(found: re.Match[str]) -> str:
            address = self.reference.addresses.get(found[1])
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
                        )
                        for entry in entries
                        if entry.home == page
                    ],
                )
            )
        return written

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


def _math(text: str) -> Markup:
    return _trusted(mathematics(" ".join(text.split())))


def _prose(text: str) -> Markup:
    """Formulas typeset, what stands between backquotes as code, what stands between asterisks stressed."""
    parts = re.split(r"`([^`]+)`", text)
    return _trusted("".join(f"<code>{escape(part)}</code>" if k % 2 else _stressed(part) for k, part in enumerate(parts)))


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
    colors = f":root{{{tints['light']}}}@media (prefers-color-scheme: dark){{:root{{{tints['dark']}}}}}"
    colors += "".join(f".t{i}{{fill:var(--t{i})}}" for i in range(len(scales["light"])))
    return "\n".join([colors, *parts, (Path(__file__).parent / "templates" / "docs.css").read_text(encoding="utf-8")])
