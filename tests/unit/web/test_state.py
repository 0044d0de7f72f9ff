"""Links: every state survives its URL, every wrong one is refused in words."""

import string
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plica.errors import InvalidInput, PlicaError
from plica.web import State
from plica.web._options import ACTIVATIONS, COLORS, INITS, OPTIMIZERS, PARTS, THEMES
from plica.web._state import schema

finite = st.floats(-1e6, 1e6, allow_nan=False).map(lambda v: v + 0.0)
digest = st.text("0123456789abcdef", min_size=64, max_size=64)
widths = st.lists(st.integers(1, 64), min_size=1, max_size=6).map(tuple)


@st.composite
def states(draw):
    chosen = draw(widths)
    acts = draw(st.lists(st.sampled_from(ACTIVATIONS), min_size=1, max_size=len(chosen)).map(tuple))
    steps = sorted(draw(st.sets(st.integers(1, 100_000), max_size=5)))
    rates = [draw(st.floats(1e-6, 100)) for _ in range(len(steps) + 1)]
    low, high = sorted(draw(st.lists(st.integers(-1000, 1000), min_size=2, max_size=2, unique=True)))
    segment = draw(st.one_of(st.just(()), st.tuples(finite, finite, finite, finite)))
    return State(
        data=draw(st.sampled_from(["moons", "circles", "sine", "expression"])),
        expr=draw(st.text(string.printable[:95], max_size=60)),
        csv=draw(st.one_of(st.just(""), digest)),
        n=draw(st.integers(10, 1000)),
        noise=draw(st.floats(0, 1)) + 0.0,
        seed=draw(st.integers(0, 2**31 - 1)),
        widths=chosen,
        act=acts,
        init=draw(st.sampled_from(INITS)),
        opt=draw(st.sampled_from(OPTIMIZERS)),
        rate=tuple(zip([0, *steps], rates, strict=True)),
        step=draw(st.integers(0, 100_000)),
        window=draw(st.sampled_from([(), (float(low), float(high), -0.1, 0.3)])),
        color=draw(st.sampled_from(COLORS)),
        folds=draw(st.integers(0, 6)),
        boundary=draw(st.booleans()),
        segment=() if segment and segment[:2] == segment[2:] else segment,
        pin=draw(st.one_of(st.just(()), st.tuples(finite), st.tuples(finite, finite))),
        theme=draw(st.sampled_from(THEMES)),
        hide=tuple(draw(st.sets(st.sampled_from(PARTS)))),
        present=draw(st.booleans()),
    )


@settings(max_examples=120)
@given(states())
def test_a_random_state_survives_its_link(state):
    link = state.to_query()
    assert State.from_query(link) == state
    assert State.from_query(link).to_query() == link


@settings(max_examples=120)
@given(st.text(max_size=200))
def test_any_text_is_a_state_or_is_refused_in_words(text):
    try:
        State.from_query(text)
    except PlicaError as error:
        assert error.message


@settings(max_examples=120)
@given(st.sampled_from(sorted(schema()["fields"])), st.text(max_size=60))
def test_any_value_of_any_field_is_read_or_refused_and_what_is_read_survives(name, value):
    try:
        state = State.from_query(f"{name}={quote(value)}")
    except PlicaError:
        return
    assert State.from_query(state.to_query()) == state


OLD_LINKS = [  # links of version 1 as they were handed out; they must keep their meaning
    ("", {}),
    ("v=1", {}),
    ("v=1&data=spirals&widths=16-16&step=400", {"data": "spirals", "step": 400}),
    ("v=1&rate=0.02,120:0.005", {"rate": ((0, 0.02), (120, 0.005))}),
    ("v=1&init=folding&widths=8-8&color=pattern&boundary=0&points=0", {"init": "folding", "boundary": False}),
    ("v=1&widths=16-16-16&act=relu,tanh&window=-8,8,-8,8", {"act": ("relu", "tanh"), "window": (-8.0, 8.0, -8.0, 8.0)}),
    ("v=1&hide=data,network&present=1&theme=dark", {"hide": ("data", "network"), "present": True}),
]


@pytest.mark.parametrize(("link", "means"), OLD_LINKS)
def test_old_links_keep_their_meaning(link, means):
    state = State.from_query(link)
    assert {name: getattr(state, name) for name in means} == means


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("v=2", "version"),
        ("wdths=8", "unknown name"),
        ("widths=8&widths=9", "twice"),
        ("widths=65", "from 1 to 64"),
        ("widths=8-8-8-8-8-8-8", "1 to 6 numbers"),
        ("widths=", "numbers"),
        ("seed=-1", "whole number"),
        ("seed=1e3", "whole number"),
        ("noise=nan", "number from 0 to 1"),
        ("noise=inf", "number from 0 to 1"),
        ("rate=0", "number from 1e-06"),
        ("rate=0.1,50:0.2,40:0.1", "increasing steps"),
        ("window=1,0,0,1", "room between"),
        ("window=0,1", "numbers"),
        ("segment=1,1,1,1", "two different points"),
        ("act=sigmoid", "at most"),
        ("widths=8&act=relu,relu", "activations for 1 layer"),
        ("data=csv", "no table yet"),
        ("data=model", "no model yet"),
        ("model=../../etc/passwd", "digest"),
        ("csv=" + "g" * 64, "digest"),
        ("hide=data,data", "twice"),
        ("color=red", "one of output"),
        ("boundary=yes", "0 or 1"),
        ("expr=" + "x" * 201, "200 printable"),
        ("expr=a%00b", "printable"),
        ("x" * 5000, "characters"),
    ],
)
def test_a_wrong_link_is_refused_in_words(link, words):
    with pytest.raises(InvalidInput) as caught:
        State.from_query(link)
    assert words in str(caught.value)


def test_a_misspelled_name_gets_a_suggestion():
    with pytest.raises(InvalidInput, match="did you mean widths"):
        State.from_query("width=8")


def test_every_field_has_one_sentence_of_help_and_known_claims():
    from plica.claims import catalog

    for name, field in schema()["fields"].items():
        assert field["help"].endswith(".") and len(field["help"]) < 140, name
        assert not field["claim"] or field["claim"] in catalog().ids, name
