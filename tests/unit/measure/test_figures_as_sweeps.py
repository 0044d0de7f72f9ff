"""The published figures run as sweeps."""

from __future__ import annotations

import pytest

from plica.sweeps import Sweep, run
from plica.sweeps.random_networks import price_2019_figure_3, survey_2016_figure_2


def test_the_figures_cover_their_published_ranges():
    assert len(price_2019_figure_3) == 9 * 6 * 5
    assert len(survey_2016_figure_2) == 11 * 7 * 5


def test_a_small_sweep_gives_growth_between_its_bounds(tmp_path):
    grid = {"weight_std": [2.0, 4.0], "density": [0.5], "width": [32], "depth": [2], "n_networks": [20]}
    table = run(Sweep(price_2019_figure_3.function, grid=grid, seeds=range(3)), store=tmp_path / "small.db")
    assert len(table.done) == 6
    for one in table.done:
        sigma = one.parameters["weight_std"]
        assert sigma * 0.5 / 2.5067 <= one.values["growth"] <= sigma * 0.5 * 1.2


@pytest.mark.parametrize("width", [1, 8])
def test_one_task_of_the_survey_is_a_factor_with_an_error(width):
    found = survey_2016_figure_2.function(width, 4.0, n_networks=8, seed=1)
    assert found["factor"] > 0 and found["standard_error"] > 0
