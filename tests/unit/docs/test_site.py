"""The site: complete, linked, by itself, and its links to the explorer are accepted by the explorer."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from patience import patient
from plica_docs.commands import commands, shared
from plica_docs.gallery import every_script, names_used, scripts
from plica_docs.lectures import LECTURES
from plica_docs.reference import Reference, signature
from plica_docs.site import Site
from plica_docs.statements import parts

from plica.claims import bibliography, catalog
from plica.errors import PlicaError
from plica.lectures import lectures
from plica.web import Limits, State


class Page(HTMLParser):
    """Links, what is loaded, anchors, headings and elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.unnamed: list[str] = []
        self.opened: list[str] = []
        self.text = text
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.tags.append(tag)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if tag == "a" and given.get("href"):
            link = str(given["href"])
            state = link.removeprefix("http://127.0.0.1:8400/open#")  # a page of a running explorer that asks first
            (self.links if state == link else self.opened).append(state)
        if tag in ("script", "img", "iframe", "source", "video", "audio", "embed") and given.get("src"):
            self.loaded.append(str(given["src"]))
        if tag in ("link", "image", "use") and (given.get("href") or given.get("xlink:href")):
            self.loaded.append(str(given.get("href") or given.get("xlink:href")))
        if tag == "svg" and not (given.get("aria-label") or given.get("aria-hidden") == "true"):
            self.unnamed.append(tag)
        if tag == "img" and not given.get("alt"):
            self.unnamed.append(tag)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    out = tmp_path_factory.mktemp("site")
    written = Site(out, run=False).build()
    assert sorted(written) == sorted(out.rglob("*.html"))
    for path in out.rglob("*.py"):
        script = next(each for each in every_script() if each.slug == path.stem)
        assert path.read_bytes() == script.path.read_bytes() and str(path.parent) == str(out / script.section)
    return {str(path.relative_to(out)): Page(path.read_text(encoding="utf-8")) for path in written}


def check_links(site: dict[str, Page]) -> None:
    for address, page in site.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            here = Path(address).parent
            parts: list[str] = []
            for part in (here / target).parts if target else Path(address).parts:
                parts = parts[:-1] if part == ".." else [*parts, part]
            where = "/".join(parts)
            if where.endswith(".py"):
                assert where == address.replace(".html", ".py"), f"{address} links to {link}"
                continue
            assert where in site, f"{address} links to {link}"
            assert not anchor or anchor in site[where].ids, f"{address} links to {link}"


def test_every_link_leads_somewhere(site: dict[str, Page]) -> None:
    check_links(site)


def test_search_knows_every_script_claim_and_public_name_and_where_it_is(site: dict[str, Page]) -> None:
    found = re.search(r'id="entries">(.*?)</script>', site["search.html"].text, re.DOTALL)
    assert found
    where = {address: title for title, _, _, address, _ in json.loads(found[1])}
    assert {script.address for script in every_script()} <= set(where)
    assert {claim.title for claim in catalog()} <= set(where.values()) and "decompose" in where.values()
    for address in where:
        page, _, anchor = address.partition("#")
        assert page in site and (not anchor or anchor in site[page].ids), address


def test_every_command_is_told_with_its_options_and_an_example_that_names_it(site: dict[str, Page]) -> None:
    from typer.testing import CliRunner

    from plica.cli import app

    known = {command.name: command for command in commands()}
    listed = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    names = set(re.findall(r"^\W*([a-z]+)  +[A-Z]", listed.partition("Commands")[2], re.MULTILINE))
    assert len(names) > 20 and names == {name.split()[1] for name in known}
    for command in known.values():
        assert command.example.startswith(command.name) and command.text[0].endswith("."), command
        help = CliRunner().invoke(app, [*command.name.split()[1:], "--help"], env={"COLUMNS": "300", "TERM": "dumb"}).output
        own, common = (
            set(re.findall(r"--[a-z][a-z-]+", " ".join(left for left, _ in part))) for part in (command.options, shared())
        )
        told = set(re.findall(r"^\W*(?:│ )?\*? *(--[a-z][a-z-]+)", help, re.MULTILINE)) - {"--help"}
        assert own | (told & common) == told and not own & common, command.name
        assert command.anchor in site["commands.html"].ids


def test_code_leads_to_the_reference_and_the_reference_back(site: dict[str, Page]) -> None:
    page, name = "tutorials/for-practitioners.html", "plica.robust.html#class_distance"
    assert f"../api/{name}" in site[page].links and "../api/plica.geometry.html#decompose" in site[page].links
    assert f"../{page}" in site["api/plica.robust.html"].links
    assert "../claims/regions.html#zaslavsky-1975" in site["api/plica.theory.regions.html"].links
    for script in every_script():  # every name of a package that a script imports is led to
        imported = {full for full in names_used(script).values() if full.startswith("plica.")}
        known = {full for full in imported if full in Reference().addresses} if script.slug == "sawtooth" else set()
        assert all(f"../api/{Reference().addresses[full]}" in site[script.address].links for full in known)


def test_nothing_is_loaded_from_elsewhere(site: dict[str, Page]) -> None:
    for address, page in site.items():
        assert not [source for source in page.loaded if not source.startswith(("data:", "#"))], address


def test_pages_are_well_made(site: dict[str, Page]) -> None:
    for address, page in site.items():
        assert page.tags.count("h1") == 1 and page.tags.count("main") == 1 and page.tags.count("title") == 1, address
        assert len(page.ids) == len(set(page.ids)), address
        assert not page.unnamed, address


def test_every_claim_every_script_and_every_source_has_its_place(site: dict[str, Page]) -> None:
    for claim in catalog():
        assert claim.id in site[f"claims/{claim.topic}.html"].ids
        assert f"{claim.topic}.html#{claim.id}" in site["claims/index.html"].links
    for script in every_script():
        assert script.address in site
    assert set(bibliography()) <= set(site["sources.html"].ids)


def test_every_public_name_is_described_once(site: dict[str, Page]) -> None:
    import plica
    from plica import construct, theory

    front = site["api/plica.html"]
    for name in plica.__all__:
        if name != "__version__":
            assert any(link.endswith(f"#{name}") for link in front.links), name
    assert "plica.geometry.html#Box" in front.links and "Box" not in front.ids
    assert set(construct.__all__) <= set(site["api/plica.construct.html"].ids)
    assert set(theory.regions.__all__) <= set(site["api/plica.theory.regions.html"].ids)
    assert "Complex.cell_at" in site["api/plica.geometry.html"].ids


def test_signatures_have_types_as_they_are_written() -> None:
    from plica.geometry import AffineMaps

    assert signature(AffineMaps) == "(matrices: Array, offsets: Array)"  # a named tuple keeps its types as references


def test_links_for_lecturers_are_states_that_the_explorer_writes_itself(site: dict[str, Page]) -> None:
    links = site["lecturers.html"].opened
    assert len(links) == sum(bool(scene.state) for lecture in LECTURES for scene in lecture.scenes) > 15
    for link in links:
        state = State.from_query(link)
        assert state.to_query() == link
        assert set(state.hide) < {"data", "network", "training", "view", "readouts", "claims", "more"}


def test_statements_name_claims_of_the_lectures_and_what_their_records_say(site: dict[str, Page], tmp_path: Path) -> None:
    known, taught = catalog(), {claim.id for lecture in lectures().values() for claim in lecture.claims()}
    told = [each for part in parts(known) for each in part.statements]
    assert len({each.says for each in told}) == len(told) > 30
    for each in told:
        assert each.claims and all(claim.id in taught for claim, _ in each.claims), each.says
        for claim, found in each.claims:
            assert f"claims/{claim.topic}.html#{claim.id}" in site["statements.html"].links
            assert (found == claim.expected) == (claim.record is not None and not claim.record.is_stale(claim)), claim.id
    unknown = tmp_path / "statements.toml"
    unknown.write_text('[[part]]\ntitle = "a"\nstatements = [{ says = "b", claims = ["nothing"] }]\n')
    with pytest.raises(PlicaError, match="nothing"):
        parts(known, unknown)


def test_scenes_are_pictures_and_name_known_claims_and_pages() -> None:
    from plica.web._picture import decomposed
    from plica.web._scene import scene_of

    seen = {scene.title: scene for lecture in LECTURES for scene in lecture.scenes}
    slugs, known = {script.slug for script in scripts()}, catalog()
    for scene in seen.values():
        assert scene.claims and all(id in known for id in scene.claims)
        assert (scene.gallery in slugs) or (not scene.gallery and scene.state)
        state = State.from_query(scene.state)
        if scene.state and not state.step and max(state.widths) <= 16:
            assert decomposed(scene_of(state, lambda digest: b""), Limits(max_seconds=patient(30))).n_cells > 1
    tooth = State.from_query(seen["The sawtooth"].state)
    assert decomposed(scene_of(tooth, lambda digest: b""), Limits(max_seconds=patient(30))).n_regions == 8  # as its text says
    assert {lecture.key for lecture in LECTURES} <= set(bibliography())


def test_the_policy_of_the_pages_forbids_everything_else(tmp_path: Path) -> None:
    text = next(path for path in Site(tmp_path, run=False).build() if path.name == "lecturers.html").read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None and policy[1].startswith("default-src 'none'; ")
    assert "http" not in policy[1] and "prefers-color-scheme: dark" in text


def test_a_checked_claim_shows_what_it_measured(tmp_path: Path) -> None:
    site = Site(tmp_path, run=False, check=True)
    card = site._card(catalog()["slide-binomial-sum"])
    path = site._write("claims/one.html", "claims_topic.html.j2", title="One claim", cards=[card], before=None, after=None)
    text, page = path.read_text(encoding="utf-8"), Page(path.read_text(encoding="utf-8"))
    assert "<b>refuted</b>" in text and ">no: 11<" in text
    assert page.tags.count("figure") == 1 and not page.unnamed
    test_nothing_is_loaded_from_elsewhere({"claims/one.html": page})


@pytest.mark.slow
def test_the_complete_site_shows_what_scripts_print_and_draw(tmp_path: Path) -> None:
    site = {str(path.relative_to(tmp_path)): Page(path.read_text(encoding="utf-8")) for path in Site(tmp_path, run=True).build()}
    check_links(site)
    test_nothing_is_loaded_from_elsewhere(site)
    for script in every_script():
        page = site[script.address]
        assert "figure" in page.tags and not page.unnamed
