r"""Mean-field theory of wide random networks: maps of lengths and angles, the edge of chaos, Jacobian spectra.

A layer is :math:`h^{l+1} = W \varphi(h^l) + b` with :math:`W_{ij} \sim (0, \sigma_w^2/n)` and :math:`b_i \sim (0, \sigma_b^2)`.
As the width grows, the mean square q of the pre-activations and the correlation c of two inputs follow deterministic maps.

>>> field = MeanField("tanh", weight_std=1.5, bias_std=0.3)
>>> field.phase, round(field.fixed_length(), 4), round(field.fixed_correlation, 4)
('chaotic', 0.9608, 0.7668)
>>> round(edge_of_chaos("tanh", bias_std=0.3).weight_std, 4)
1.3956
"""

from plica.theory._meanfield_activations import Activation
from plica.theory._meanfield_closed import activation, activations
from plica.theory._meanfield_edge import (
    Edge,
    PhaseDiagram,
    edge_of_chaos,
    edge_of_chaos_curve,
    phase_diagram,
    weight_std_of,
)
from plica.theory._meanfield_field import MeanField
from plica.theory._meanfield_jacobian import JacobianSpectrum

__all__ = [
    "Activation",
    "Edge",
    "JacobianSpectrum",
    "MeanField",
    "PhaseDiagram",
    "activation",
    "activations",
    "edge_of_chaos",
    "edge_of_chaos_curve",
    "phase_diagram",
    "weight_std_of",
]
