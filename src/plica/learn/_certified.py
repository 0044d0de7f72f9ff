r"""Training for certificates: the loss of the worst scores that a ball around each input can have, by proved bounds.

In the maximum norm with radius :math:`\epsilon`. ``"interval"``: intervals through all layers (S. Gowal et al., 2018), the last
layer taken for each difference of scores. ``"dual"``: the dual of E. Wong and J. Z. Kolter (ICML 2018): a difference of scores is
pulled back through the layers, a rectifier on an interval :math:`[l,u]` around 0 becoming lines of slope :math:`u/(u-l)` on both
sides, and the ranges of the neurons come from the same bound, layer by layer. In floating point: what a trained network is worth,
:func:`plica.robust.proved_robust` says with rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from plica.errors import InvalidInput

if TYPE_CHECKING:
    from torch import Tensor, nn

Bound = Literal["interval", "dual"]


def worst_scores(model: nn.Module, x: Tensor, labels: Tensor, *, epsilon: float, bound: Bound = "interval") -> Tensor:
    """Upper bounds of score - (score of the label) on the ball around each input; 0 for the label itself.

    The model is a sequence of flattening, linear layers and ReLUs; with ``"interval"`` also convolutions.

    Examples
    --------
    >>> import torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(1, 2, bias=False))
    >>> _ = model[0].weight.data.copy_(torch.tensor([[1.0], [-1.0]]))
    >>> worst_scores(model, torch.tensor([[1.0]]), torch.tensor([0]), epsilon=0.25).tolist()
    [[0.0, -1.5]]
    """
    import torch

    layers = _layers(model, bound)
    last = layers[-1]
    if not isinstance(last, torch.nn.Linear):
        raise InvalidInput("the last layer must be linear.", hint="one output for each class, no softmax")
    n = last.out_features
    eye = torch.eye(n, dtype=x.dtype)
    forms = eye[None] - eye[labels][:, None]  # score k minus that of the label
    weight = forms @ last.weight
    offset = weight.new_zeros(len(x), n) if last.bias is None else forms @ last.bias
    if bound == "interval":
        low, high = x - epsilon, x + epsilon
        for layer in layers[:-1]:
            low, high = _interval(layer, low, high)
        middle, radius = ((low + high) / 2).flatten(1), ((high - low) / 2).flatten(1)
        return (weight @ middle[..., None] + weight.abs() @ radius[..., None])[..., 0] + offset
    return _dual(layers[:-1], x.flatten(1), weight, offset, epsilon)


def _layers(model: nn.Module, bound: Bound) -> list[nn.Module]:
    from torch import nn

    known: tuple[type[nn.Module], ...] = (nn.Flatten, nn.Linear, nn.ReLU)
    if bound == "interval":
        known = (*known, nn.Conv2d)
    elif bound != "dual":
        raise InvalidInput(f"bound {bound!r} is not known.", hint="interval or dual")
    layers: list[nn.Module] = [m for m in model.modules() if not list(m.children()) and not isinstance(m, nn.Identity)]
    for layer in layers:
        if not isinstance(layer, known):
            raise InvalidInput(f"a layer {type(layer).__name__} has no {bound} bound here.", hint="linear layers and ReLUs")
    return layers


def _interval(layer: nn.Module, low: Tensor, high: Tensor) -> tuple[Tensor, Tensor]:
    from torch import nn
    from torch.nn import functional

    if isinstance(layer, (nn.Flatten, nn.ReLU)):
        return layer(low), layer(high)
    middle, radius = (low + high) / 2, (high - low) / 2
    if isinstance(layer, nn.Conv2d):
        spread = functional.conv2d(radius, layer.weight.abs(), None, layer.stride, layer.padding, layer.dilation, layer.groups)
    else:
        assert isinstance(layer, nn.Linear)
        spread = functional.linear(radius, layer.weight.abs())
    center = layer(middle)
    return center - spread, center + spread


def _dual(layers: list[nn.Module], x: Tensor, weight: Tensor, offset: Tensor, epsilon: float) -> Tensor:
    """Upper bounds of forms of the last hidden layer, pulled back to the input with the ranges of all layers before."""
    from torch import nn

    linear = [layer for layer in layers if isinstance(layer, nn.Linear)]
    ranges: list[tuple[Tensor, Tensor]] = []
    for k, layer in enumerate(linear):
        if k == 0:  # nothing is pulled back: the rows are those of all inputs
            ranges.append(_interval(layer, x - epsilon, x + epsilon))
            continue
        constant = x.new_zeros(len(x), layer.out_features) if layer.bias is None else layer.bias.expand(len(x), -1)
        ranges.append(_pulled(linear[:k], ranges, x, layer.weight.expand(len(x), -1, -1), constant, epsilon))
    return _pulled(linear, ranges, x, weight, offset, epsilon)[1]


def _pulled(
    linear: list[Any], ranges: list[tuple[Tensor, Tensor]], x: Tensor, a: Tensor, constant: Tensor, epsilon: float
) -> tuple[Tensor, Tensor]:
    """Bounds of a . h + constant for forms a (batch, forms, entries) of the rectified output of the last given layer."""
    lower = upper = constant
    for layer, (low, high) in zip(reversed(linear), reversed(ranges), strict=True):
        unsure = (low < 0) & (high > 0)
        slope = unsure * high / (high - low).clamp(min=1e-12) + (low >= 0)
        # the chord, above the rectifier, is -slope * low higher than the line through 0, below it
        height = (unsure * -slope * low)[..., None]
        upper = upper + (a.clamp(min=0) @ height)[..., 0]
        lower = lower + (a.clamp(max=0) @ height)[..., 0]
        a = a * slope[:, None]
        if layer.bias is not None:
            shift = a @ layer.bias
            lower, upper = lower + shift, upper + shift
        a = a @ layer.weight
    middle, spread = (a @ x[..., None])[..., 0], epsilon * a.abs().sum(2)
    return lower + middle - spread, upper + middle + spread


class CertifiedObjective:
    """An objective for :func:`fit`: a mean of the usual loss and of the loss of the worst scores.

    ``natural`` is the weight of the usual loss. Over the first ``n_ramp`` steps, which the object counts, the radius grows from 0
    to ``epsilon`` and the weight of the usual loss falls from 1.

    Examples
    --------
    >>> import torch
    >>> from plica.learn import fit, mlp
    >>> x = torch.tensor([[-1.0], [1.0]]).repeat(32, 1)
    >>> data = x, (x[:, 0] > 0).long()
    >>> done = fit(mlp([1, 8, 2], seed=0), data, objective=CertifiedObjective(0.5), epochs=200, seed=0)
    >>> bool((worst_scores(done.model, *data, epsilon=0.5).sort(dim=1).values[:, 0] < 0).all())
    True
    """

    def __init__(self, epsilon: float, *, bound: Bound = "interval", natural: float = 0.0, n_ramp: int = 0) -> None:
        if not epsilon >= 0 or not 0 <= natural <= 1 or n_ramp < 0:
            raise InvalidInput("expected epsilon >= 0, natural between 0 and 1 and n_ramp >= 0.")
        self.epsilon, self.bound, self.natural, self.n_ramp, self.n_steps = epsilon, bound, natural, n_ramp, 0

    def __call__(self, model: nn.Module, batch: Any) -> Tensor:
        from torch.nn import functional

        x, labels = batch
        share = min(1.0, self.n_steps / self.n_ramp) if self.n_ramp else 1.0
        natural = 1.0 - share * (1.0 - self.natural)
        if model.training:
            self.n_steps += 1
        worst = worst_scores(model, x, labels, epsilon=share * self.epsilon, bound=self.bound)
        loss = (1.0 - natural) * functional.cross_entropy(worst, labels)
        return loss + natural * functional.cross_entropy(model(x), labels) if natural else loss
