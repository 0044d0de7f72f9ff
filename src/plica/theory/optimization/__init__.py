"""How fast methods of the first order converge, with their constants: stochastic gradients, momentum, adaptive steps.

Everything is about expected values and worst cases: a floor is the expected excess ``E[F(w) - F*]`` that stays.
"""

from plica.theory.optimization._adaptive import (
    adagrad_norm_noisy_bound,
    adagrad_norm_steps,
    adagrad_regret_bound,
    adam_counterexample_regret,
)
from plica.theory.optimization._momentum import (
    gradient_descent_radius,
    heavy_ball_parameters,
    heavy_ball_radius,
    nesterov_lower_bound,
    nesterov_parameters,
    nesterov_radius,
)
from plica.theory.optimization._sgd import (
    bottou_2018_decreasing_bound,
    bottou_2018_fixed_bound,
    gower_2019_bound,
    least_squares_best_rate,
    least_squares_factor,
    least_squares_floor,
    least_squares_largest_rate,
    quadratic_excess,
    quadratic_floor,
)
from plica.theory.optimization._variance_reduction import saga_rate, svrg_rate

__all__ = [
    "adagrad_norm_noisy_bound",
    "adagrad_norm_steps",
    "adagrad_regret_bound",
    "adam_counterexample_regret",
    "bottou_2018_decreasing_bound",
    "bottou_2018_fixed_bound",
    "gower_2019_bound",
    "gradient_descent_radius",
    "heavy_ball_parameters",
    "heavy_ball_radius",
    "least_squares_best_rate",
    "least_squares_factor",
    "least_squares_floor",
    "least_squares_largest_rate",
    "nesterov_lower_bound",
    "nesterov_parameters",
    "nesterov_radius",
    "quadratic_excess",
    "quadratic_floor",
    "saga_rate",
    "svrg_rate",
]
