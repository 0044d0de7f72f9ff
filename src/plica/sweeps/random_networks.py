"""The figures on random networks at their published sizes, as sweeps: resumable, on many processes or a cluster.

    plica sweep run plica.sweeps.random_networks:survey_2016_figure_2 --store figure2.db --workers 4

Each task is what the claim of the same name measures at one point of its figure; ``plica check NAME --scale full`` does the same
in one process and compares with the theory.
"""

from plica.claims.trajectories.price_2019_figure_3 import growth
from plica.claims.trajectories.survey_2016_figure_2 import last_factor
from plica.sweeps._sweep import Sweep

__all__ = ["price_2019_figure_3", "survey_2016_figure_2"]

#: Growth per layer over sigma_w and alpha: Figure 3 of Price and Tanner.
price_2019_figure_3 = Sweep(
    growth,
    grid={
        "weight_std": [0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        "density": [1.0, 0.75, 0.5, 0.25, 0.1, 0.05],
        "width": [784],
        "depth": [10],
        "n_networks": [20],
    },
    seeds=range(5),
    name="price-2019-figure-3",
)

#: Growth in the last layer over width and sigma_w^2: Figure 2 of the expressivity survey.
survey_2016_figure_2 = Sweep(
    last_factor,
    grid={
        "width": [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
        "weight_variance": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0],
        "n_networks": [20],
    },
    seeds=range(5),
    name="survey-2016-figure-2",
)
