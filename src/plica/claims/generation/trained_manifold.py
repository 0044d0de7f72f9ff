r"""How complex are the surfaces that trained and random generators make?

Claim
    Generators of one architecture with two latent variables, trained to draw digits and as they were drawn at random: training
    makes the surface over the learned codes larger, for every seed. The number of flat pieces stays below the bound of the
    architecture, and points that are uniform on the surface are not so in the latent plane.
Source
    Lecture 4 of Theories of Deep Learning asks how complex the manifold is that a generator can make [oxford-lecture-4]. Nobody
    printed these numbers.
Prediction
    a ratio of trained to random areas above 1; at most plica.theory.regions.serra_2018_upper_bound pieces; shares of latent
    quarters that differ from a fourth
Measurement
    decoders 2-16-16-64 of autoencoders of 8 x 8 digits (plica.learn.fit), over the square that holds 96 percent of the codes;
    exact pieces, areas and bends (plica.measure.generated_manifold)
Remark
    Before the first run it was expected that the total bend, over the root of the area, grows as well. It does not in general:
    for the first two seeds, after five epochs, training multiplied it by 0.23 and 1.28.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import plica.data
from plica._palette import CONTROL, MEASUREMENT
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.geometry import Box, decompose
from plica.measure import GeneratedManifold, generated_manifold
from plica.network import from_torch
from plica.theory.regions import serra_2018_upper_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("generated-area", "generator-dimension")
SEED = 44
WIDTHS = (16, 16)


def surfaces(seed: int, epochs: int) -> tuple[GeneratedManifold, GeneratedManifold]:
    """The surface of a decoder before and after its training, over the codes that it learned."""
    import torch

    from plica.learn import fit, reconstruction
    from plica.models import build
    from plica.models.generative import Autoencoder, AutoencoderConfig

    x = np.asarray(plica.data.load("digits").flat, dtype=np.float32)
    config = AutoencoderConfig((64,), n_latent=2, widths=WIDTHS)
    before, model = (build(Autoencoder, config, seed=seed) for _ in range(2))
    fit(model, (x, x), epochs=epochs, batch=64, rate=5e-3, objective=reconstruction, seed=seed)
    with torch.no_grad():
        codes = model.encoder(torch.from_numpy(x)).double().numpy()
    low, high = np.quantile(codes, [0.02, 0.98], axis=0).round(3)
    found = [decompose(from_torch(m.decoder.eval(), example_input=torch.zeros(1, 2)), Box(low, high)) for m in (before, model)]
    return generated_manifold(found[0]), generated_manifold(found[1])


def bend(surface: GeneratedManifold) -> float:
    """The total bend in units of the root of the area: no unit of length is left."""
    return surface.total_bend / surface.image_area.middle**0.5


def quarter(surface: GeneratedManifold, n: int, seed: int) -> Array:
    """Which points that are uniform on the surface lie in the lower left quarter of the latent square."""
    points = surface.sample(n, seed=seed)
    middle = (surface.complex.vertices.min(axis=0) + surface.complex.vertices.max(axis=0)) / 2
    return np.asarray((points < middle).all(axis=1))


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    rows, shown = [], []
    for seed in range(SEED, SEED + (8 if is_full else 2)):
        random, trained = surfaces(seed, 30 if is_full else 5)
        about: dict[str, Any] = {"seed": seed}
        rows.append(
            row(trained.image_area.middle / random.image_area.middle, ">", 1.0, what="area, trained over random", **about)
        )
        bound = serra_2018_upper_bound([2, *WIDTHS, 64])
        for name, one in (("random", random), ("trained", trained)):
            rows.append(row(one.complex.n_cells, "<=", bound, what=f"pieces, {name}", **about))
        is_there = quarter(trained, 6000, seed)
        exact = _exact_quarter(trained)
        error = float(np.sqrt(exact * (1 - exact) / len(is_there)))
        rows.append(
            control(
                float(is_there.mean()), "=", exact, kind="estimated", standard_error=error, what="uniform points by area", **about
            )
        )
        shown.append((random, trained))
    bends = ", ".join(f"{bend(trained) / bend(random):.2f}" for random, trained in shown)
    off = max(abs(_exact_quarter(trained) - 0.25) for _, trained in shown)
    rows.append(row(off, ">", 0.01, what="a latent quarter's share of the surface, largest distance from a fourth"))
    return Evidence(rows, draw=partial(draw, shown), seed=SEED, note=f"bend, trained over random, by seed: {bends}")


def _exact_quarter(surface: GeneratedManifold) -> float:
    """The share of the surface over the lower left quarter of the latent square: its own complex, over its own box."""
    cx = surface.complex
    low, high = cx.vertices.min(axis=0), cx.vertices.max(axis=0)
    part = generated_manifold(decompose(cx.network, Box(low, (low + high) / 2)))
    return float(part.image_area.middle / surface.image_area.middle)


def draw(shown: list[tuple[GeneratedManifold, GeneratedManifold]], ax: Axes) -> None:
    """Area and bend of all surfaces."""
    for k, (name, color) in enumerate((("random", CONTROL), ("trained", MEASUREMENT))):
        ax.plot([pair[k].image_area.middle for pair in shown], [bend(pair[k]) for pair in shown], "o", color=color, label=name)
    ax.set(xscale="log", xlabel="area of the surface", ylabel="total bend over the root of the area")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
