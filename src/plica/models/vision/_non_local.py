"""The non-local block: every pixel looks at every other."""

from __future__ import annotations

from torch import Tensor, nn

from plica.errors import InvalidInput
from plica.models.attention import Attend, Dot, Pointwise


class NonLocalBlock(nn.Module):
    r"""z = x + W_z y with y_i the average of g(x_j) weighted by f(x_i, x_j) [wang2018]_.

    Parameters
    ----------
    n_channels, n_inner
        Widths outside and inside; half of it inside unless given.
    pairing
        ``embedded-gaussian``: softmax of theta(x_i) . phi(x_j), which is self-attention on pixels; ``dot``: that product
        divided by the number of pixels.

    Examples
    --------
    The last map begins at zero, so that a new block changes nothing:

    >>> import torch
    >>> x = torch.rand(1, 8, 5, 5)
    >>> torch.equal(NonLocalBlock(8)(x), x)
    True
    """

    def __init__(self, n_channels: int, n_inner: int | None = None, *, pairing: str = "embedded-gaussian") -> None:
        super().__init__()
        if pairing not in ("embedded-gaussian", "dot"):
            raise InvalidInput(f"unknown pairing {pairing!r}.", hint="use embedded-gaussian or dot")
        inner = n_inner or max(1, n_channels // 2)
        self.theta, self.phi, self.g = (nn.Conv2d(n_channels, inner, 1) for _ in range(3))
        self.out = nn.Conv2d(inner, n_channels, 1)
        nn.init.zeros_(self.out.weight)
        assert self.out.bias is not None
        nn.init.zeros_(self.out.bias)
        self.attend = Attend(Dot(), normalizer=Pointwise("identity", divide=True) if pairing == "dot" else None)

    def forward(self, x: Tensor) -> Tensor:
        """Images (B, C, h, w) to images of the same shape."""
        q, k, v = (layer(x).flatten(2).transpose(1, 2)[:, None] for layer in (self.theta, self.phi, self.g))
        mixed = self.attend(q, k, v)[:, 0].transpose(1, 2).unflatten(2, x.shape[-2:])
        out: Tensor = x + self.out(mixed)
        return out
