r"""Second derivatives of the loss by products with vectors: Lanczos' method, top eigenpairs, the density of the spectrum.

For a ReLU network the Hessian of automatic differentiation is that of the polynomial on the current cell of weights. The loss
bends at folds as well: its second derivative is a distribution with mass there, which no Hessian at a point contains
(:func:`plica.landscape.folded_curvature` measures both along a line).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Budget, Meter, tick, watched
from plica.landscape._directions import Direction, as_module, from_vector
from plica.learn import LOSSES

Part = Literal["hessian", "gauss-newton", "residual"]
TOGETHER = 32  # columns of a Hessian that are computed at a time


class Curvature:
    """The Hessian of a mean loss at a model, by products with vectors.

    Parameters
    ----------
    model
        A network or a torch module; it is copied, in double precision and eval mode.
    x, y
        Samples, and values or labels.
    loss
        ``"squared"``, ``"absolute"``, ``"cross-entropy"``, ``"logistic"`` or a function of outputs and targets.
    part
        The whole Hessian, its generalized Gauss-Newton part J^T H_loss J, or the residual part, which is the rest.

    Examples
    --------
    >>> from plica.learn import mlp
    >>> model = mlp([2, 3, 1])
    >>> x = np.random.default_rng(0).normal(size=(10, 2))
    >>> whole, gauss, rest = (Curvature(model, x, x[:, :1], part=p).matrix() for p in ("hessian", "gauss-newton", "residual"))
    >>> bool(np.allclose(whole, gauss + rest)), bool(np.linalg.eigvalsh(gauss).min() > -1e-12)
    (True, True)
    """

    def __init__(self, model: Any, x: Any, y: Any, *, loss: str | Callable[..., Any] = "squared", part: Part = "hessian") -> None:
        import torch

        if part not in ("hessian", "gauss-newton", "residual"):
            raise InvalidInput(f"unknown part {part!r}.", hint="'hessian', 'gauss-newton' or 'residual'")
        if isinstance(loss, str) and loss not in LOSSES:
            raise InvalidInput(f"unknown loss {loss!r}.", hint=f"one of {', '.join(LOSSES)}")
        self._module = as_module(model)
        self._loss = LOSSES[loss] if isinstance(loss, str) else loss
        self._x = torch.as_tensor(np.asarray(x), dtype=torch.float64)
        y = np.asarray(y)
        self._y = torch.as_tensor(y if y.dtype.kind in "iu" else y.astype(np.float64))
        self._parameters = [p for p in self._module.parameters() if p.requires_grad]
        self._part = part
        self.n_products = 0

    @property
    def n_parameters(self) -> int:
        return sum(p.numel() for p in self._parameters)

    def value(self) -> float:
        """The loss."""
        return float(self._loss(self._module(self._x), self._y).detach())

    def gradient(self) -> Array:
        """The gradient of the loss, in a row."""
        import torch

        return self._row(torch.autograd.grad(self._loss(self._module(self._x), self._y), self._parameters))

    def __matmul__(self, v: Array) -> Array:
        """The product with a vector."""
        tick()
        self.n_products += 1
        return self._products(v)

    def matrix(self, budget: Budget | None = None) -> Array:
        """The matrix itself, some columns at a time: for small models."""
        n, rows = self.n_parameters, []
        with watched(Meter(budget or Budget(), 1)):
            tick(8 * n * n)
            for begin in range(0, n, TOGETHER):
                tick()
                some = np.eye(min(TOGETHER, n - begin), n, begin)
                self.n_products += len(some)
                rows.append(self._products(some))
        found = np.concatenate(rows)
        return np.asarray((found + found.T) / 2)

    def _products(self, v: Array) -> Array:
        """With a vector, or with each row of a matrix."""
        if self._part == "hessian":
            return self._hessian(v)
        if self._part == "gauss-newton":
            return self._gauss_newton(v)
        return self._hessian(v) - self._gauss_newton(v)

    def _hessian(self, v: Array) -> Array:
        import torch

        first = torch.autograd.grad(self._loss(self._module(self._x), self._y), self._parameters, create_graph=True)
        bending = [(g, w) for g, w in zip(first, self._shaped(v), strict=True) if g.requires_grad]
        if not bending:
            return np.zeros_like(v)
        return self._rows(_pulled([g for g, _ in bending], self._parameters, [w for _, w in bending], v.ndim > 1), v)

    def _gauss_newton(self, v: Array) -> Array:
        """J^T H J v: forward by two reverse passes, the Hessian of the loss by outputs, and back."""
        import torch

        f, many = self._module(self._x), v.ndim > 1
        dummy = torch.zeros_like(f, requires_grad=True)
        back = torch.autograd.grad(f, self._parameters, grad_outputs=dummy, create_graph=True, retain_graph=True)
        (forward,) = _pulled(list(back), [dummy], self._shaped(v), many)
        outputs = f.detach().requires_grad_()
        (slope,) = torch.autograd.grad(self._loss(outputs, self._y), outputs, create_graph=True)
        if not slope.requires_grad:
            return np.zeros_like(v)
        return self._rows(_pulled([f], self._parameters, list(_pulled([slope], [outputs], [forward], many)), many), v)

    def _shaped(self, v: Array) -> list[Any]:
        """A vector by parameters, or each row of a matrix."""
        import torch

        parts = torch.as_tensor(np.ascontiguousarray(v)).split([p.numel() for p in self._parameters], dim=-1)
        return [part.reshape(*v.shape[:-1], *p.shape) for part, p in zip(parts, self._parameters, strict=True)]

    def _row(self, parts: Any) -> Array:
        return np.concatenate([g.detach().numpy().reshape(-1) for g in parts])

    def _rows(self, parts: Any, like: Array) -> Array:
        """Parts by parameters in rows; a part that nothing depends on is zero."""
        shaped = zip(parts, self._parameters, strict=True)
        rows = [
            np.zeros((*like.shape[:-1], p.numel())) if g is None else g.detach().numpy().reshape(*like.shape[:-1], p.numel())
            for g, p in shaped
        ]
        return np.concatenate(rows, axis=-1)

    def direction(self, v: Array, name: str = "") -> Direction:
        """A vector as a direction of the model's weights."""
        return from_vector(self._module, v, name)


def _pulled(outputs: list[Any], inputs: list[Any], vectors: list[Any], are_many: bool) -> tuple[Any, ...]:
    """Vectors times the Jacobian of outputs by inputs, or many at once along a first axis."""
    import torch

    how: dict[str, Any] = {"is_grads_batched": are_many, "retain_graph": True, "allow_unused": True}
    return tuple(torch.autograd.grad(outputs, inputs, grad_outputs=vectors, **how))


@dataclass(frozen=True, eq=False)
class Lanczos:
    """A symmetric operator on a Krylov space: A Q = Q T + a remainder, with T tridiagonal."""

    Q: Array
    diagonal: Array
    off_diagonal: Array
    remainder: float

    def ritz(self) -> tuple[Array, Array]:
        """Eigenvalues and eigenvectors of T."""
        from scipy.linalg import eigh_tridiagonal

        return eigh_tridiagonal(self.diagonal, self.off_diagonal)  # type: ignore[no-any-return]


def lanczos(operator: Any, start: Array, n_steps: int) -> Lanczos:
    """Lanczos' method, each new vector made orthogonal to all before it, twice.

    Examples
    --------
    >>> A = np.diag([3.0, 2.0, 1.0])
    >>> [round(float(v), 12) for v in lanczos(A, np.ones(3), 3).ritz()[0]]
    [1.0, 2.0, 3.0]
    """
    q = start / np.linalg.norm(start)
    Q, diagonal, off = [q], [], []
    rest = 0.0
    for k in range(n_steps):
        w = operator @ Q[-1]
        diagonal.append(float(w @ Q[-1]))
        basis = np.stack(Q)
        for _ in range(2):
            w = w - basis.T @ (basis @ w)
        rest = float(np.linalg.norm(w))
        if k == n_steps - 1 or rest <= 1e-12 * max(map(abs, diagonal)) or len(Q) == len(q):
            break
        off.append(rest)
        Q.append(w / rest)
    return Lanczos(np.stack(Q, axis=1), np.array(diagonal), np.array(off), rest)


@dataclass(frozen=True, eq=False)
class Eigenpairs:
    """Extreme eigenvalues.

    Attributes
    ----------
    values
        The eigenvalues, by magnitude or from the asked end, the first first.
    vectors
        Eigenvectors in columns.
    residuals
        |A v - value v|: some eigenvalue is within this distance of each value.
    """

    values: Array
    vectors: Array
    residuals: Array


def top_eigenpairs(
    curvature: Curvature,
    n: int = 1,
    *,
    which: Literal["largest", "smallest"] = "largest",
    seed: int = 0,
    n_steps: int | None = None,
) -> Eigenpairs:
    """The largest (or smallest) eigenvalues with residuals that prove how near they are.

    Examples
    --------
    >>> from plica.learn import mlp
    >>> x = np.random.default_rng(0).normal(size=(10, 2))
    >>> c = Curvature(mlp([2, 4, 1]), x, x[:, :1])
    >>> top = top_eigenpairs(c, 2)
    >>> bool(np.allclose(top.values, np.linalg.eigvalsh(c.matrix())[::-1][:2])), bool(top.residuals.max() < 1e-8)
    (True, True)
    """
    size = curvature.n_parameters
    steps = min(size, max(4 * n + 60, 80)) if n_steps is None else min(n_steps, size)
    if not 1 <= n <= steps:
        raise InvalidInput(f"{n} eigenpairs from {steps} steps.", hint="more steps, or fewer eigenpairs")
    run = lanczos(curvature, np.random.default_rng(seed).normal(size=size), steps)
    values, vectors = run.ritz()
    order = np.argsort(values)[::-1][:n] if which == "largest" else np.argsort(values)[:n]
    found = run.Q @ vectors[:, order]
    found /= np.linalg.norm(found, axis=0)
    residuals = np.array([np.linalg.norm(curvature @ v - values[i] * v) for i, v in zip(order, found.T, strict=True)])
    return Eigenpairs(values[order], found, residuals)
