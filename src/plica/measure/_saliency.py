"""Pictures of what a module looks at, by what each of them computes: gradients, deconvolution, guided gradients, occlusion.

On a cell a piecewise-linear network is affine, and its gradient is the row of that map: with its constant it gives the output
exactly. *Deconvolution* passes positive signals back through every rectifier and forgets which were active: without pooling
its picture is the same for every input. *Guided* gradients ask for both. *Occlusion* is a difference of outputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._modes import evaluated
from plica._types import Array
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from torch import Tensor, nn

METHODS = ("gradient", "deconvolution", "guided")


def saliency(model: nn.Module, x: Any, *, output: int = 0, method: str = "gradient") -> Array:
    """What an output passes back to the inputs.

    Parameters
    ----------
    model
        A torch module whose rectifiers are ``nn.ReLU`` modules, each used once.
    x
        One input, without batch axis.
    output
        The number of the output.
    method
        ``"gradient"``: the row of the affine map on the cell of x. ``"deconvolution"`` [zeiler2014]_: positive parts of what
        comes back at each rectifier, active or not. ``"guided"`` [springenberg2015]_: positive parts, where active.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.ReLU(), nn.Linear(2, 1, bias=False))
    >>> for layer, weight in zip((model[0], model[2]), ([[1.0, 0.0], [0.0, 1.0]], [[2.0, -3.0]])):
    ...     layer.weight.data = torch.tensor(weight)
    >>> x = np.array([-1.0, 1.0], dtype=np.float32)  # only the second unit is active
    >>> [saliency(model, x, method=method).tolist() for method in ("gradient", "deconvolution", "guided")]
    [[0.0, -3.0], [2.0, 0.0], [0.0, 0.0]]
    """
    import torch

    if method not in METHODS:
        raise InvalidInput(f"method = {method!r}.", hint=f"one of {', '.join(METHODS)}")
    inputs = _batch_of_one(model, x).requires_grad_()
    with evaluated(model), _rules(model, method):
        out = model(inputs).flatten()
        if not 0 <= output < len(out):
            raise InvalidInput(f"there is no output {output}; the module has outputs 0 to {len(out) - 1}.")
        (found,) = torch.autograd.grad(out[output], inputs)
    return np.asarray(found[0].detach().cpu().numpy())


def occlusion(model: nn.Module, x: Any, *, output: int = 0, size: int = 3, value: float = 0.0) -> Array:
    """By how much an output falls when a square around each pixel of an image (channels, height, width) is painted over.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> model = nn.Sequential(nn.Flatten(), nn.Linear(9, 1, bias=False))
    >>> model[1].weight.data = torch.arange(9.0)[None]
    >>> occlusion(model, np.ones((1, 3, 3), dtype=np.float32), size=1)[2].tolist()
    [6.0, 7.0, 8.0]
    """
    import torch

    image = _batch_of_one(model, x)
    if image.ndim != 4 or size < 1 or size % 2 == 0:
        raise InvalidInput(
            f"a square of {size} pixels on an input of shape {tuple(image.shape[1:])}.", hint="an image, an odd size"
        )
    height, width, half = image.shape[2], image.shape[3], size // 2
    covered = image.repeat(height * width, 1, 1, 1)
    for k in range(height * width):
        i, j = divmod(k, width)
        covered[k, :, max(0, i - half) : i + half + 1, max(0, j - half) : j + half + 1] = value
    with evaluated(model), torch.no_grad():
        before = float(model(image).flatten(1)[0, output])
        after = torch.cat([model(part).flatten(1)[:, output] for part in covered.split(256)])
    return np.asarray(before - after.double().cpu().numpy()).reshape(height, width)


def _batch_of_one(model: nn.Module, x: Any) -> Tensor:
    import torch

    like = next(model.parameters(), torch.zeros(0))
    found = torch.as_tensor(np.asarray(x)).to(like.device, like.dtype)[None].clone()
    if not bool(torch.isfinite(found).all()):
        raise InvalidInput("the input holds NaN or infinite numbers.")
    return found


@contextmanager
def _rules(model: nn.Module, method: str) -> Iterator[None]:
    """Rectifiers that pass back what the method says, while it lasts."""
    from torch import nn

    def rule(module: Any, back: Any, came: Any) -> Any:
        # what the rectifier would pass back is zero where it is inactive; what came has no such zeros
        return ((came[0] if method == "deconvolution" else back[0]).clamp(min=0),)

    rectifiers = [] if method == "gradient" else [part for part in model.modules() if isinstance(part, nn.ReLU)]
    if any(part.inplace for part in rectifiers):
        raise InvalidInput("rectifiers that overwrite their input cannot be watched.", hint="nn.ReLU() without inplace=True")
    hooks = [part.register_full_backward_hook(rule) for part in rectifiers]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
