"""Steps as ramps: a step network made continuous, so that it has cells, files and an ONNX form."""

from __future__ import annotations

from fractions import Fraction

from plica.construct._construction import Construction
from plica.construct.circuits._circuit import Circuit, Wire
from plica.construct.perceptrons._construction import UnitConstruction
from plica.construct.perceptrons._perceptron import Perceptron
from plica.construct.targets._numbers import rational
from plica.errors import InvalidInput


def ramps(steps: Perceptron | UnitConstruction, *, width: Fraction | float) -> Construction:
    r"""The ReLU network whose units rise from 0 to 1 over the given width of their argument, where a step network jumps.

    :math:`1\{t \ge 0\}` becomes :math:`(\mathrm{ReLU}(t + w) - \mathrm{ReLU}(t)) / w`: the same outside :math:`-w < t < 0`,
    between 0 and 1 there. Weights are exact for widths that are powers of two. Only networks with one hidden layer: behind the
    first layer a step that is reached too early would count.

    Examples
    --------
    >>> from plica.construct import Polynomial, threshold
    >>> r = ramps(threshold(Polynomial([0, 1]), error=0.25, lipschitz=1), width=2**-10)
    >>> r.n_units, r([0.625])
    (6, array([0.5]))
    """
    network = steps.network if isinstance(steps, UnitConstruction) else steps
    gamma = rational(width)
    if not isinstance(network, Perceptron) or network.activation != "step" or len(network.hidden) != 1:
        raise InvalidInput(f"ramps are made of step networks with one hidden layer, got {network!r}.")
    if not gamma > 0:
        raise InvalidInput(f"the width of a ramp must be positive, got {width}.")
    circuit = Circuit(network.n_inputs)
    weight, bias = network.hidden[0]
    units: list[Wire] = list(circuit.inputs)
    for w, b in zip(weight, bias, strict=True):
        t = circuit.total([x * float(c) for x, c in zip(circuit.inputs, w, strict=True)]) + float(b)
        units.append((circuit.relu(t + gamma) - circuit.relu(t)) / gamma)
    outputs = [
        circuit.total([u * float(c) for u, c in zip(units, row, strict=True) if c]) + float(b)
        for row, b in zip(*network.output, strict=True)
    ]
    found = circuit.network(*outputs, name=f"ramps of {network.name or 'a step network'}")
    theorem = {"units": 2 * network.n_neurons, "depth": 1}
    return Construction("ramps", found, {"width": float(gamma)}, theorem, ("telgarsky2021",))
