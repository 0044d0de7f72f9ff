"""Fields of the state that make a training: data, network, steps."""

from __future__ import annotations

from dataclasses import dataclass

from plica.web import _fields as f
from plica.web._described import described
from plica.web._limits import MAX_DEPTH, MAX_POINTS, MAX_STEPS, MAX_WIDTH
from plica.web._options import ACTIVATIONS, DATA, FEATURES, INITS, OPTIMIZERS, PENALTIES

Rates = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class TrainingFields:
    """What is learned, by which network, and how."""

    data: str = described(
        "training",
        "Data or target",
        f.Choice(DATA),
        "moons",
        "What the network learns: labeled points, a function, your table or your model.",
        moves=True,
    )
    expr: str = described(
        "training",
        "Expression",
        f.Text(200),
        "sin(3*x)*y",
        "A function of x, or of x and y: + - * / ^, sin, exp, abs, min, max and a few more.",
        moves=True,
    )
    csv: str = described(
        "training",
        "Your table",
        f.Digest(),
        "",
        "The table you dropped: one or two columns of inputs, then the target.",
        moves=True,
    )
    n: int = described(
        "training",
        "Points",
        f.Integer(10, MAX_POINTS),
        200,
        "How many points the network learns from.",
    )
    noise: float = described(
        "training",
        "Noise",
        f.Number(0, 1),
        0.1,
        "Standard deviation of the noise added to the points.",
    )
    seed: int = described(
        "training",
        "Seed",
        f.Integer(0, 2**31 - 1),
        0,
        "Everything random follows from it; the same seed gives the same picture.",
    )
    features: tuple[str, ...] = described(
        "training",
        "Input features",
        f.Choices(FEATURES, len(FEATURES)),
        (),
        "Read beside the inputs off fixed ReLUs, so that regions stay exact: |x| as it is, the others interpolated with knots "
        "every 1/4.",
        "piecewise-linear-functions",
    )
    widths: tuple[int, ...] = described(
        "training",
        "Hidden layers",
        f.Integers("-", 1, MAX_DEPTH, 1, MAX_WIDTH),
        (16, 16),
        f"Neurons of each hidden layer, such as 16-16; up to {MAX_DEPTH} layers of up to {MAX_WIDTH}.",
        "montufar-2014",
    )
    act: tuple[str, ...] = described(
        "training",
        "Activation",
        f.Choices(ACTIVATIONS, MAX_DEPTH),
        ("relu",),
        "The activation of each layer, or one for all; tanh is smooth, so its picture is estimated.",
        "piecewise-linear-functions",
    )
    init: str = described(
        "training",
        "Initialization",
        f.Choice(INITS),
        "he-normal",
        "Where training starts: random weights, or weights from a proof.",
        "sawtooth-unit-interval",
        moves=True,
    )
    bias: float = described(
        "training",
        "Bias scale",
        f.Number(0, 5),
        0.3,
        "Standard deviation of the initial biases; with 0 every first fold passes the origin.",
        "zaslavsky-central",
    )
    opt: str = described(
        "training",
        "Optimizer",
        f.Choice(OPTIMIZERS),
        "adam",
        "How a gradient becomes a step.",
    )
    rate: Rates = described(  # noqa: RUF009 a name for a tuple
        "schedule",
        "Learning rate",
        f.Schedule(1e-6, 100.0, MAX_STEPS),
        ((0, 0.02),),
        "Size of a training step; changing it does not restart the training.",
    )
    batch: int = described(
        "training",
        "Batch",
        f.Integer(1, MAX_POINTS),
        32,
        "Points in each training step.",
    )
    reg: str = described(
        "training",
        "Regularization",
        f.Choice(PENALTIES),
        "none",
        "A penalty on the weights, not on the biases: the sum of their sizes (L1), or half the sum of their squares (L2).",
    )
    decay: float = described(
        "training",
        "Strength",
        f.Number(0, 10),
        0.001,
        "What the penalty is multiplied by.",
    )
    split: int = described(
        "training",
        "Held out",
        f.Integer(0, 90),
        0,
        "Percent of the points that are kept for testing; they are drawn hollow and have a loss of their own.",
    )
    step: int = described(
        "picture",
        "Step",
        f.Integer(0, MAX_STEPS),
        0,
        "The training step that is shown.",
        "hanin-rolnick-2019-training",
    )
    speed: int = described(
        "page",
        "Speed",
        f.Integer(1, 100),
        4,
        "Training steps between two pictures.",
    )
