"""From a state to what is looked at: the network, the domain, the training behind it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._npy import parse_npy
from plica._passing import passing_folder
from plica._types import Array
from plica.errors import InvalidDomain, InvalidInput, InvalidNetwork
from plica.geometry import Box, Path, Plane, Segment
from plica.web._layers import Layer, network_of
from plica.web._problem import Files, Problem, problem_of
from plica.web._state import State
from plica.web._training import Checkpoint, Diverged, Trainer

if TYPE_CHECKING:
    from plica.network import Network

Window = tuple[float, float, float, float]

SIDES = 128
"""Of a circle that goes through the layers: its polygon is measured exactly."""


@dataclass(eq=False)
class Scene:
    """A network over a domain, with the data and the training it belongs to.

    ``network`` is None for a network with tanh, whose ``layers`` are then looked at in samples.
    """

    state: State
    network: Network | None
    window: Window
    n_inputs: int
    problem: Problem | None = None
    layers: list[Layer] | None = None
    checkpoint: Checkpoint | None = None
    losses: list[float] | None = None
    loss: float | None = None
    held_loss: float | None = None
    diverged: Diverged | None = None
    rows: Array | None = None

    @property
    def dimension(self) -> int:
        return 1 if self.n_inputs == 1 else 2

    @property
    def activations(self) -> tuple[str, ...]:
        """Of the layers: those of the state, behind the ReLUs of features."""
        return ("relu",) * bool(self.state.features) + self.state.activations

    @property
    def home(self) -> Window:
        """The window without any zoom."""
        return self.problem.window if self.problem is not None else self._model_home

    _model_home: Window = (-1.0, 1.0, -1.0, 1.0)

    def frame(self) -> tuple[Array, Array]:
        """Two directions and the origin of the plane that is shown."""
        if self.n_inputs <= 2:
            return np.eye(self.n_inputs), np.zeros(self.n_inputs)
        if self.rows is None:
            normal = np.random.default_rng(self.state.seed).standard_normal((self.n_inputs, 2))
            return np.linalg.qr(normal)[0].T, np.zeros(self.n_inputs)
        x0, x1, x2 = (self.rows[i] for i in self.state.through)
        return np.stack([x1 - x0, x2 - x0]), x0

    def domain(self) -> Box | Plane:
        """Where the network is decomposed."""
        return self.domain_on(self.window)

    def domain_on(self, window: Window) -> Box | Plane:
        """The same plane in another window."""
        a, b, c, d = window
        if self.n_inputs == 1:
            return Box([a], [b])
        if self.n_inputs == 2:
            return Box([a, c], [b, d])
        directions, origin = self.frame()
        return Plane(origin, list(directions), window=((a, c), (b, c), (b, d), (a, d)))

    def path(self) -> Segment | Path:
        """The drawn segment, or the diagonal of the window; the circle around either; the interval itself in one dimension."""
        a, b, c, d = self.window
        if self.n_inputs == 1:
            return Segment([a], [b])
        directions, origin = self.frame()
        if self.state.path == "circle":
            return Path(self._circle() @ directions + origin)
        ends = np.array(self.state.segment or (a, c, b, d)).reshape(2, 2)
        return Segment(*(ends @ directions + origin))

    def _circle(self) -> Array:
        """Corners of a polygon on the circle around the drawn segment, else on the one that touches the sides of the window."""
        a, b, c, d = self.window
        radius, (x, y) = min(b - a, d - c) / 2, ((a + b) / 2, (c + d) / 2)
        ends = np.array(self.state.segment or (x - radius, y, x + radius, y)).reshape(2, 2)
        center, across = ends.mean(axis=0), (ends[1] - ends[0]) / 2
        angles = 2 * np.pi * np.arange(SIDES)[:, None] / SIDES
        corners = center + np.cos(angles) * across + np.sin(angles) * np.array([-across[1], across[0]])
        return np.concatenate([corners, corners[:1]])

    @property
    def path_name(self) -> str:
        """What the path is called."""
        if self.dimension == 1:
            return "interval"
        return self.state.path if self.state.segment or self.state.path == "circle" else "diagonal"


def scene_of(state: State, files: Files, start: bytes | None = None) -> Scene:
    """Build what a state describes; ``start`` is an earlier checkpoint of its training, to continue from."""
    if state.data == "model":
        return _model_scene(state, files)
    problem = problem_of(state, files)
    trainer = Trainer(state, problem)
    checkpoint = Checkpoint.from_bytes(start) if start else trainer.start()
    diverged: Diverged | None = None
    losses: list[float] = []
    try:
        checkpoint, losses = trainer.run(checkpoint, state.step)
    except Diverged as error:
        diverged, checkpoint = error, error.checkpoint
    layers = trainer.layers(checkpoint)
    if state.output >= problem.n_outputs:
        raise InvalidInput(f"output is {state.output}; the network has outputs 0 to {problem.n_outputs - 1}.")
    found = Scene(
        state=state,
        network=None,
        window=_window(state, problem.window),
        n_inputs=problem.n_inputs,
        problem=problem,
        layers=layers,
        checkpoint=checkpoint,
        losses=losses,
        loss=trainer.loss(checkpoint),
        held_loss=trainer.held_loss(checkpoint),
        diverged=diverged,
    )
    if not state.is_smooth:
        found.network = network_of(layers, found.activations, name="explorer")
    return found


def _window(state: State, home: Window) -> Window:
    return state.window if len(state.window) == 4 else home  # type: ignore[return-value]


def _model_scene(state: State, files: Files) -> Scene:
    network = load_model(state.model, files)
    if state.output >= network.n_outputs:
        raise InvalidInput(f"output is {state.output}; the model has outputs 0 to {network.n_outputs - 1}.")
    rows = load_rows(state.rows, files, network) if state.rows else None
    home: Window = (-1.0, 1.0, -1.0, 1.0)
    if rows is not None and network.n_inputs > 2:
        if max(state.through) >= len(rows):
            raise InvalidInput(f"through is {state.through}; the data has rows 0 to {len(rows) - 1}.")
        if len(set(state.through)) < 3:
            raise InvalidDomain("a plane needs three different rows.", hint="change through")
        low, high = -state.margin, 1 + state.margin
        home = (low, high, low, high)
    if network.n_inputs == 1:
        y = network(np.linspace(home[0], home[1], 201)[:, None]).reshape(201, -1)[:, state.output]
        pad = 0.2 * float(np.ptp(y)) or 1.0
        home = (home[0], home[1], float(y.min()) - pad, float(y.max()) + pad)
    scene = Scene(state=state, network=network, window=_window(state, home), n_inputs=network.n_inputs, rows=rows)
    scene._model_home = home
    return scene


_models: dict[str, Any] = {}


def load_model(digest: str, files: Files) -> Network:
    """The network in a file; the last few stay in memory."""
    if digest not in _models:
        from plica.network import from_bytes

        content = files(digest)
        network = from_bytes(content, name="the file") if _is_safetensors(content) else _from_onnx(content)
        while len(_models) >= 4:
            _models.pop(next(iter(_models)))
        _models[digest] = network
    network = _models[digest]
    return network  # type: ignore[no-any-return]


def _from_onnx(content: bytes) -> Network:
    from plica.network import load

    with passing_folder() as folder:
        path = folder / "model.onnx"
        path.write_bytes(content)
        try:
            return load(path)
        except InvalidNetwork as error:  # whoever dropped it never heard of this name
            hint = error.hint or "a model is a .safetensors or an .onnx file"
            raise InvalidNetwork(error.message.replace(repr(path.name), "the file"), hint=hint) from None


def _is_safetensors(content: bytes) -> bool:
    """Its first bytes are the length of a JSON header; no ONNX file starts so."""
    return len(content) > 8 and content[8:9] == b"{"


def load_rows(digest: str, files: Files, network: Network | None = None) -> Array:
    """Rows of inputs from a ``.npy`` file."""
    rows = _parsed_rows(digest, files(digest))
    if network is not None and rows.shape[1] != network.n_inputs:
        raise InvalidInput(
            f"the data has rows of {rows.shape[1]} numbers, the model takes {network.n_inputs}.", hint="one input in each row"
        )
    return rows


@lru_cache(maxsize=4)
def _parsed_rows(digest: str, content: bytes) -> Array:
    array = parse_npy(content, "the data")
    if array.dtype.kind not in "fiub" or array.ndim < 2 or len(array) < 3 or array.size == 0:
        raise InvalidInput(f"the data has shape {array.shape} and type {array.dtype}.", hint="three or more rows of numbers")
    rows = np.asarray(array.reshape(len(array), -1), dtype=np.float64)
    if not np.isfinite(rows).all():
        raise InvalidInput("the data holds NaN or infinity.")
    return rows
