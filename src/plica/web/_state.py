"""What the explorer shows, as one typed, versioned and validated value that fits into a URL."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final
from urllib.parse import parse_qsl, quote

from plica.errors import InvalidInput
from plica.web import _fields as f
from plica.web._limits import MAX_DEPTH, MAX_POINTS, MAX_QUERY, MAX_STEPS, MAX_WIDTH

VERSION: Final = 1
SAFE = ",:-._*()"

DATA = ("moons", "circles", "spirals", "sine", "abs", "square", "sawtooth", "expression", "csv", "model")
ACTIVATIONS = ("relu", "leaky-relu", "abs", "hard-tanh", "tanh")
INITS = ("he-normal", "torch-default", "glorot-normal", "orthogonal", "normal", "sawtooth", "square", "folding")
OPTIMIZERS = ("sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam")
COLORS = ("output", "class", "pattern", "gradient", "error")
VIEWS = ("plane", "surface", "fold", "trajectory")
PENALTIES = ("none", "l1", "l2")
THEMES = ("system", "light", "dark")
PARTS = ("data", "network", "training", "view", "readouts", "claims", "more", "legend", "card")

OPTION_LABELS = {
    "moons": "two moons", "circles": "two circles", "spirals": "two spirals", "abs": "|x|", "square": "x²",
    "expression": "an expression", "csv": "your table", "model": "your model",
    "relu": "ReLU", "leaky-relu": "leaky ReLU", "hard-tanh": "hard tanh", "tanh": "tanh (estimated)",
    "he-normal": "He", "torch-default": "torch default", "glorot-normal": "Glorot", "normal": "normal 1/n",
    "folding": "folding (proof)",
    "class": "class (sign of the output)",
    "pattern": "activation pattern", "gradient": "gradient norm", "error": "error against the target", "system": "as the system",
    "sgd": "SGD", "nesterov": "Nesterov", "adagrad": "AdaGrad", "rmsprop": "RMSProp", "adam": "Adam",
    "l1": "L1", "l2": "L2", "fold": "folding",
}  # fmt: skip
"""What options are called on the page, where it is not their name."""

Rates = tuple[tuple[int, float], ...]


SCOPES = ("training", "schedule", "model", "picture", "page")
"""What a field changes: the training from its start, the rates of steps to come, the given model, what is computed of it to be
shown, or only how the page shows it."""


def _of(scope: str, label: str, kind: f.Kind, default: Any, help_text: str, claim: str = "", *, moves: bool = False) -> Any:
    """A field; with ``moves`` a change of it leads to another window."""
    words = {"help": help_text, "claim": claim, "label": label}
    return field(default=default, metadata={"kind": kind, "scope": scope, "moves": moves, "words": words})


@dataclass(frozen=True)
class State:
    """Everything that a link holds. Every field has a kind that reads it, writes it and knows its range.

    Examples
    --------
    >>> state = State.from_query("data=circles&widths=8-8&rate=0.1,50:0.01")
    >>> state.widths, state.rate
    ((8, 8), ((0, 0.1), (50, 0.01)))
    >>> state.to_query()
    'v=1&data=circles&widths=8-8&rate=0.1,50:0.01'
    """

    data: str = _of(
        "training",
        "Data or target",
        f.Choice(DATA),
        "moons",
        "What the network learns: labeled points, a function, your table or your model.",
        moves=True,
    )
    expr: str = _of(
        "training",
        "Expression",
        f.Text(200),
        "sin(3*x)*y",
        "A function of x, or of x and y: + - * / ^, sin, exp, abs, min, max and a few more.",
        moves=True,
    )
    csv: str = _of(
        "training",
        "Your table",
        f.Digest(),
        "",
        "The table you dropped: one or two columns of inputs, then the target.",
        moves=True,
    )
    n: int = _of(
        "training",
        "Points",
        f.Integer(10, MAX_POINTS),
        200,
        "How many points the network learns from.",
    )
    noise: float = _of(
        "training",
        "Noise",
        f.Number(0, 1),
        0.1,
        "Standard deviation of the noise added to the points.",
    )
    seed: int = _of(
        "training",
        "Seed",
        f.Integer(0, 2**31 - 1),
        0,
        "Everything random follows from it; the same seed gives the same picture.",
    )
    widths: tuple[int, ...] = _of(
        "training",
        "Hidden layers",
        f.Integers("-", 1, MAX_DEPTH, 1, MAX_WIDTH),
        (16, 16),
        f"Neurons of each hidden layer, such as 16-16; up to {MAX_DEPTH} layers of up to {MAX_WIDTH}.",
        "montufar-2014",
    )
    act: tuple[str, ...] = _of(
        "training",
        "Activation",
        f.Choices(ACTIVATIONS, MAX_DEPTH),
        ("relu",),
        "The activation of each layer, or one for all; tanh is smooth, so its picture is estimated.",
        "piecewise-linear-functions",
    )
    init: str = _of(
        "training",
        "Initialization",
        f.Choice(INITS),
        "he-normal",
        "Where training starts: random weights, or weights from a proof.",
        "sawtooth-unit-interval",
        moves=True,
    )
    bias: float = _of(
        "training",
        "Bias scale",
        f.Number(0, 5),
        0.3,
        "Standard deviation of the initial biases; with 0 every first fold passes the origin.",
        "zaslavsky-central",
    )
    opt: str = _of(
        "training",
        "Optimizer",
        f.Choice(OPTIMIZERS),
        "adam",
        "How a gradient becomes a step.",
    )
    rate: Rates = _of(  # noqa: RUF009 a name for a tuple
        "schedule",
        "Learning rate",
        f.Schedule(1e-6, 100.0, MAX_STEPS),
        ((0, 0.02),),
        "Size of a training step; changing it does not restart the training.",
    )
    batch: int = _of(
        "training",
        "Batch",
        f.Integer(1, MAX_POINTS),
        32,
        "Points in each training step.",
    )
    reg: str = _of(
        "training",
        "Regularization",
        f.Choice(PENALTIES),
        "none",
        "A penalty on the weights, not on the biases: the sum of their sizes (L1), or half the sum of their squares (L2).",
    )
    decay: float = _of(
        "training",
        "Strength",
        f.Number(0, 10),
        0.001,
        "What the penalty is multiplied by.",
    )
    split: int = _of(
        "training",
        "Held out",
        f.Integer(0, 90),
        0,
        "Percent of the points that are kept for testing; they are drawn hollow and have a loss of their own.",
    )
    step: int = _of(
        "picture",
        "Step",
        f.Integer(0, MAX_STEPS),
        0,
        "The training step that is shown.",
        "hanin-rolnick-2019-training",
    )
    speed: int = _of(
        "page",
        "Speed",
        f.Integer(1, 100),
        4,
        "Training steps between two pictures.",
    )
    model: str = _of(
        "model",
        "Your model",
        f.Digest(),
        "",
        "The model you gave: a .safetensors or .onnx file.",
        moves=True,
    )
    rows: str = _of(
        "model",
        "Your data",
        f.Digest(),
        "",
        "The data you gave with the model: a .npy file with one input in each row.",
        moves=True,
    )
    through: tuple[int, ...] = _of(
        "model",
        "Plane through rows",
        f.Integers(",", 3, 3, 0, 10**9),
        (0, 1, 2),
        "The plane through these three rows of your data.",
        moves=True,
    )
    margin: float = _of(
        "model",
        "Margin",
        f.Number(0, 100),
        0.25,
        "How far the picture goes beyond the three points.",
        moves=True,
    )
    output: int = _of(
        "model",
        "Output",
        f.Integer(0, 10**6),
        0,
        "The output of the model that is shown.",
    )
    window: tuple[float, ...] = _of(
        "picture",
        "Window",
        f.Window(),
        (),
        "The part that is shown, x from and to, y from and to; zooming computes it anew, exactly.",
    )
    view: str = _of(
        "page",
        "View",
        f.Choice(VIEWS),
        "plane",
        "The plane with its regions, the graph above it, the plane as layers fold it, or a path on its way through them.",
    )
    color: str = _of(
        "page",
        "Color by",
        f.Choice(COLORS),
        "output",
        "What the colors say: output, its sign, pattern, gradient norm, or error against the target.",
    )
    folds: int = _of(
        "page",
        "Depth",
        f.Integer(0, MAX_DEPTH),
        MAX_DEPTH,
        "How many layers cut the picture, from layer 0 on: their folds are drawn, their cells counted and colored.",
        "bent-hyperplanes",
    )
    boundary: bool = _of(
        "page",
        "Decision boundary",
        f.Flag(),
        True,
        "Draw where the output changes its sign.",
    )
    points: bool = _of(
        "page",
        "Data points",
        f.Flag(),
        True,
        "Draw the data points.",
    )
    segment: tuple[float, ...] = _of(
        "picture",
        "Segment",
        f.Numbers(4, 4),
        (),
        "A line drawn across the picture: its pieces and the lengths of its images.",
        "relu-length-law",
    )
    pin: tuple[float, ...] = _of(
        "picture",
        "Pinned point",
        f.Numbers(1, 2),
        (),
        "The point whose region is pinned.",
    )
    neuron: tuple[int, ...] = _of(
        "page",
        "Pinned neuron",
        f.Integers(".", 2, 2, 0, MAX_WIDTH - 1),
        (),
        "The neuron whose fold is lit: its layer and its number, both from 0.",
        "bent-hyperplanes",
    )
    scene: str = _of(
        "picture",
        "Scene",
        f.Text(100),
        "",
        "The claim that the picture shows: its prediction stands beside what is measured here.",
    )
    theme: str = _of(
        "page",
        "Theme",
        f.Choice(THEMES),
        "system",
        "Light or dark, as your system says or as you choose.",
    )
    hide: tuple[str, ...] = _of(
        "page",
        "Hidden parts",
        f.Choices(PARTS, len(PARTS)),
        (),
        "Parts of the page that are left out, for lectures.",
    )
    present: bool = _of(
        "page",
        "Presentation",
        f.Flag(),
        False,
        "Large type, the picture and what it needs, for lectures.",
    )

    @property
    def activations(self) -> tuple[str, ...]:
        """One activation for each layer; the last one given serves the layers that follow."""
        given = self.act[: len(self.widths)]
        return given + (given[-1],) * (len(self.widths) - len(given))

    @property
    def is_smooth(self) -> bool:
        return self.data != "model" and "tanh" in self.activations

    @staticmethod
    def from_query(text: str) -> State:
        """Read the part of a link after ``#``.

        Raises
        ------
        InvalidInput
            Something in it is unknown, out of range or written twice.
        """
        if len(text) > MAX_QUERY:
            raise InvalidInput(f"a link holds at most {MAX_QUERY} characters, this one has {len(text)}.")
        try:
            pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text), encoding="utf-8", errors="strict")
        except ValueError:
            raise InvalidInput("the link is not of the form name=value&name=value.", hint="copy it again") from None
        given = dict(pairs)
        if len(given) != len(pairs):
            raise InvalidInput("the link has a name twice.")
        if given.pop("v", str(VERSION)) != str(VERSION):
            raise InvalidInput(f"the link is not of version {VERSION}.", hint="it may come from a newer Plica")
        return State(**{name: _kind(name).read(name, value) for name, value in given.items()})._checked()

    def to_query(self) -> str:
        """The part of a link after ``#``: what differs from the defaults."""
        shown = {"v": str(VERSION)}
        for entry in fields(self):
            value = getattr(self, entry.name)
            if value != entry.default:
                shown[entry.name] = entry.metadata["kind"].show(value)
        return "&".join(f"{name}={quote(value, safe=SAFE)}" for name, value in shown.items())

    def changed(self, **values: Any) -> State:
        """The same state with some values replaced, validated again."""
        return State.from_query(replace(self, **values).to_query())

    def _checked(self) -> State:
        if len(self.act) > len(self.widths):
            raise InvalidInput(f"act names {len(self.act)} activations for {len(self.widths)} layers.")
        if self.data == "csv" and not self.csv:
            raise InvalidInput("there is no table yet.", hint="drop a .csv file on the page")
        if self.data == "model" and not self.model:
            raise InvalidInput("there is no model yet.", hint="drop a .safetensors or .onnx file on the page")
        if self.segment and self.segment[:2] == self.segment[2:]:
            raise InvalidInput("a segment needs two different points.")
        if len(set(self.hide)) != len(self.hide):
            raise InvalidInput("hide names a part twice.", hint=f"parts are {', '.join(PARTS)}")
        return self


_FIELDS = {entry.name: entry for entry in fields(State)}


def _kind(name: str) -> f.Kind:
    if name not in _FIELDS:
        near = difflib.get_close_matches(name, _FIELDS, n=1)
        raise InvalidInput(
            f"the link has an unknown name {name[:40]!r}.", hint=f"did you mean {near[0]}?" if near else "copy it again"
        )
    kind: f.Kind = _FIELDS[name].metadata["kind"]
    return kind


def fields_of(*scopes: str) -> tuple[str, ...]:
    """The names of the fields that change these things.

    >>> fields_of("schedule", "picture")
    ('rate', 'step', 'window', 'segment', 'pin', 'scene')
    """
    return tuple(name for name, entry in _FIELDS.items() if entry.metadata["scope"] in scopes)


def schema() -> dict[str, Any]:
    """Names, labels, defaults, ranges, scopes and help of every field, for the page."""

    def describe(entry: Any) -> dict[str, Any]:
        kind, options = entry.metadata["kind"], entry.metadata["kind"].describe().get("options", ())
        return {
            "default": kind.show(entry.default),
            "scope": entry.metadata["scope"],
            "moves": entry.metadata["moves"],
            **entry.metadata["words"],
            **kind.describe(),
            **({"option_labels": [OPTION_LABELS.get(option, option) for option in options]} if options else {}),
        }

    return {"version": VERSION, "fields": {name: describe(entry) for name, entry in _FIELDS.items()}, "parts": list(PARTS)}
