"""Pictures of lengths, phases and spectra show what they are given."""

from __future__ import annotations

import numpy as np
import pytest

import plica
from plica.measure import Ensemble
from plica.plot import plot_ensemble_lengths, plot_jacobian_spectrum, plot_phase_diagram
from plica.theory.lengths import relu_expected_length
from plica.theory.meanfield import JacobianSpectrum, phase_diagram


def test_ensemble_lengths_are_drawn_with_their_mean_and_prediction():
    lengths = Ensemble((8,) * 4, n_networks=30, seed=0, weight_std=2**0.5).estimate_lengths(
        plica.Segment(np.zeros(8), np.ones(8))
    )
    expected = [relu_expected_length((8,) * (i + 2), weight_std=2**0.5) * 8**0.5 for i in range(3)]
    ax = plot_ensemble_lengths(lengths, expected=expected)
    mean, dashed = ax.get_lines()
    np.testing.assert_allclose(mean.get_ydata(), [8**0.5, *lengths.mean])
    np.testing.assert_allclose(dashed.get_ydata()[1:], expected)
    assert ax.get_yscale() == "log"


@pytest.mark.parametrize("scales", [np.linspace(0.5, 2.0, 8), np.array([1.0])])
def test_a_phase_diagram_is_drawn_even_where_it_has_no_edge(scales):
    ax = plot_phase_diagram(phase_diagram("tanh", weight_stds=scales, bias_stds=[0.1, 0.2]))
    assert ax.get_title() == "tanh"


def test_the_predicted_spectrum_lies_over_the_histogram_with_the_same_area():
    jacobians = Ensemble((60,) * 3, n_networks=4, seed=0, activation="identity").estimate_jacobians(np.ones(60))
    ax = plot_jacobian_spectrum(jacobians, JacobianSpectrum("identity", depth=2))
    area = sum(p.get_width() * p.get_height() for p in ax.patches)
    x, y = ax.get_lines()[0].get_data()
    assert area == pytest.approx(1.0, abs=0.02)
    assert np.trapezoid(y, x) == pytest.approx(1.0, abs=0.05)
