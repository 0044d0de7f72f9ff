"""The latent plane of a model that makes pictures of two numbers: a generator, or an autoencoder with two in its middle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput, PlicaError
from plica.geometry import Box, Budget, decompose
from plica.measure import GeneratedManifold, generated_manifold
from plica.network import Network, cut_in_two
from plica.report._latent import MOST_CELLS, latent_data
from plica.report._model_section import Section
from plica.report._model_task import Task

MOST_CODES = 2000
QUANTILES = (0.01, 0.99)  # of the codes: the window; of what is made of them: black and white
SHARES = (1.0, 0.5, 0.25, 0.1, 0.04)  # of its sides, tried in turn


@dataclass(frozen=True, eq=False)
class Generator:
    """What makes pictures, and the latent points of the data."""

    network: Network
    codes: Array
    shape: tuple[int, int, int]
    shades: tuple[float, float]


def generator_of(task: Task) -> Generator | None:
    """The part of the network that makes pictures of two numbers, if there is one."""
    shape = task.made_shape
    if shape is None:
        return None
    points = np.asarray(task.points[:MOST_CODES], dtype=np.float64)
    if task.network.n_inputs == 2:
        low, high = np.quantile(task.network(points), QUANTILES)
        return Generator(task.network, points, shape, (float(low), float(high)))
    for index, node in enumerate(task.network.nodes):
        if node.size != 2 or not 0 < index < len(task.network.nodes) - 1:
            continue
        try:
            encoder, decoder = cut_in_two(task.network, index)
        except InvalidInput:
            continue
        return Generator(decoder, encoder(points).reshape(len(points), 2), shape, (float(points.min()), float(points.max())))
    return None


def latent_plane(section: Section, task: Task, made: Generator) -> None:
    """Add the plane to a section: its numbers, and a figure that answers."""
    try:
        surface, figure, share = _largest_window(task, made)
    except PlicaError as error:
        section.is_complete = False
        section.remark(f"The latent plane was not computed: {error}")
        return
    section.figures.append(figure)
    stretched = surface.distortions
    section.fact("cells of the latent plane", f"{surface.complex.n_cells:,}", "exact")
    section.fact("area of the window and of its image", f"{surface.area:.5g} and {surface.image_area.middle:.5g}", "certified")
    section.fact("least and largest factor of an area", f"{stretched.min():.4g} and {stretched.max():.4g}", "certified")
    section.fact("share of the window whose image has no area", f"{surface.collapsed_share:.3%}", "exact")
    if share < 1:
        section.cut(f"The window is {share:g} of what holds {QUANTILES[1] - QUANTILES[0]:.0%} of the latent points.")


def _largest_window(task: Task, made: Generator) -> tuple[GeneratedManifold, dict[str, Any], float]:
    """The surface over the largest window that fits into a page, its figure, and the share of the window's sides."""
    low, high = np.quantile(made.codes, QUANTILES, axis=0)
    high = np.where(high > low, high, low + 1.0)
    middle, half = (low + high) / 2, (high - low) / 2
    labels = None if task.labels is None else task.labels[: len(made.codes)]
    for share in SHARES:
        try:
            budget = Budget(max_cells=MOST_CELLS, max_seconds=max(1.0, task.seconds_left))
            surface = generated_manifold(
                decompose(made.network, Box(middle - share * half, middle + share * half), budget=budget)
            )
            figure = latent_data(
                surface, made.shape, points=made.codes, labels=labels, shades=made.shades, caption=_caption(share), seed=task.seed
            )
            return surface, figure, share
        except PlicaError:
            if share == SHARES[-1]:
                raise
    raise AssertionError("unreachable")


def _caption(share: float) -> str:
    part = "" if share == 1 else " the middle of"
    return (
        f"The latent plane, over{part} the latent points of the data. Orange cells become larger than the mean in the space "
        "of pictures, blue ones smaller. On a cell the picture changes linearly; no pixel shown is off by more than half a shade."
    )
