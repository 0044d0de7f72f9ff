"""Python that makes the picture again, with the same number of regions, wherever Plica is installed."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from plica.web._layers import LEAK
from plica.web._scene import Scene

FEW = 40
"""Weights of a layer that are written out as numbers; more are written as bytes."""

FOLDS = {
    "relu": "Rectifier()",
    "leaky-relu": f"Rectifier(np.array({LEAK}))",
    "abs": "Rectifier(np.array(-1.0))",
    "hard-tanh": "Clip(-1.0, 1.0)",
}


def snippet(scene: Scene, *, model_name: str = "") -> str:
    """A script: the network, the window, the complex, the counts."""
    if scene.network is None:
        return _smooth(scene)
    head = [f"# Plica explorer: {scene.state.to_query()}"]
    if scene.state.data == "model":
        body = ["import plica", "", f"net = plica.load({(model_name or 'model.safetensors')!r})"]
        body += _plane(scene)
    else:
        body = _network(scene)
        a, b, c, d = scene.window
        low, high = ([a], [b]) if scene.n_inputs == 1 else ([a, c], [b, d])
        body.append(f"domain = plica.Box({low!r}, {high!r})")
    return "\n".join(
        [*head, *body, "cx = plica.decompose(net, domain)", 'print(cx.n_cells, "cells", cx.n_regions, "regions")', ""]
    )


def _network(scene: Scene) -> list[str]:
    state, layers = scene.state, scene.layers
    assert layers is not None and scene.checkpoint is not None
    is_random = state.init not in ("sawtooth", "square", "folding", "zigzag")
    plain = is_random and scene.checkpoint.step == 0 and set(state.activations) == {"relu"} and not state.features
    if plain:
        widths = [scene.n_inputs, *state.widths, len(layers[-1][0])]
        bias = "" if state.init == "torch-default" else f", bias_std={state.bias!r}"
        return ["import plica", "", f"net = plica.random_network({widths}, seed={state.seed}, weights={state.init!r}{bias})"]
    lines = ["import numpy as np", "", "import plica", "from plica.network import Clip, Linear, Network, Rectifier", ""]
    many = any(part.size > FEW for layer in layers for part in layer)
    if many:
        lines[0:0] = ["from base64 import b64decode", ""]
        lines += ["", "def array(text, *shape):", "    return np.frombuffer(b64decode(text)).reshape(shape)", "", ""]
    lines.append("layers = [")
    for i, (weight, shift) in enumerate(layers):
        lines.append(f"    Linear({_array(weight)}, {_array(shift)}),")
        if i < len(scene.activations):
            lines.append(f"    {FOLDS[scene.activations[i]]},")
    return [*lines, "]", f"net = Network.sequential({scene.n_inputs}, layers)"]


def _array(values: Any) -> str:
    if values.size <= FEW:
        return f"np.array({values.tolist()!r})"
    data = base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode()
    return f'array("{data}", {", ".join(map(str, values.shape))})'


def _plane(scene: Scene) -> list[str]:
    a, b, c, d = scene.window
    if scene.n_inputs == 1:
        return [f"domain = plica.Box({[a]!r}, {[b]!r})"]
    if scene.n_inputs == 2:
        return [f"domain = plica.Box({[a, c]!r}, {[b, d]!r})"]
    window = f"window=(({a!r}, {c!r}), ({b!r}, {c!r}), ({b!r}, {d!r}), ({a!r}, {d!r}))"
    if scene.rows is None:
        return [
            "import numpy as np",
            "",
            f"normal = np.random.default_rng({scene.state.seed}).standard_normal(({scene.n_inputs}, 2))",
            "directions = np.linalg.qr(normal)[0].T",
            f"domain = plica.Plane(np.zeros({scene.n_inputs}), list(directions), {window})",
        ]
    rows = ", ".join(f"rows[{i}]" for i in scene.state.through)
    return [
        "import numpy as np",
        "",
        'rows = np.load("data.npy")  # the data you dropped on the page',
        "rows = rows.reshape(len(rows), -1).astype(float)",
        f"x0, x1, x2 = {rows}",
        f"domain = plica.Plane(x0, [x1 - x0, x2 - x0], {window})",
    ]


def _smooth(scene: Scene) -> str:
    layers = [f"    ({_list(weight)},\n     {_list(bias)})," for weight, bias in scene.layers or []]
    acts = ", ".join(repr(a) for a in scene.activations)
    return "\n".join(
        [
            f"# Plica explorer: {scene.state.to_query()}",
            "# tanh is smooth: there are no regions to count, only values",
            "import numpy as np",
            "",
            "layers = [",
            *layers,
            "]",
            f"activations = [{acts}]",
            f'functions = {{"relu": lambda z: np.maximum(z, 0), "leaky-relu": lambda z: np.where(z > 0, z, {LEAK} * z),',
            '             "abs": np.abs, "hard-tanh": lambda z: np.clip(z, -1, 1), "tanh": np.tanh}',
            f"x = np.zeros((1, {scene.n_inputs}))",
            "for (weight, bias), name in zip(layers[:-1], activations):",
            "    x = functions[name](x @ np.array(weight).T + bias)",
            "print(x @ np.array(layers[-1][0]).T + layers[-1][1])",
            "",
        ]
    )


def _list(values: Any) -> str:
    return repr(values.tolist())
