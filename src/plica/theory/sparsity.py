r"""Which share of the weights stays: densities of layers, schedules of pruning, and when a layer must be empty."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, isfinite, pi, prod

from plica.errors import InvalidInput

__all__ = [
    "erdos_renyi_densities",
    "erdos_renyi_density",
    "exponential_density",
    "gradual_sparsity",
    "largest_compression",
    "rigl_fraction",
    "ticket_density",
]


def _share(value: float, name: str) -> float:
    if not isfinite(value) or not 0 < value <= 1:
        raise InvalidInput(f"{name} = {value}.", hint="a share of the weights, in (0, 1]")
    return value


def erdos_renyi_density(n_in: int, n_out: int, *, epsilon: float) -> float:
    r"""The density :math:`\epsilon (n_{in} + n_{out}) / (n_{in} n_{out})` of a random bipartite layer, at most 1 [mocanu2018]_.

    Examples
    --------
    >>> erdos_renyi_density(784, 1000, epsilon=20)
    0.04551020408163265
    """
    if min(n_in, n_out) < 1 or not epsilon > 0:
        raise InvalidInput(f"n_in = {n_in}, n_out = {n_out}, epsilon = {epsilon}.", hint="positive numbers")
    return min(1.0, epsilon * (n_in + n_out) / (n_in * n_out))


def erdos_renyi_densities(shapes: Sequence[Sequence[int]], density: float, *, kernels: bool = True) -> list[float]:
    r"""Densities of layers that are proportional to :math:`\sum_i n_i / \prod_i n_i` and together keep the given share.

    Layers that would have more weights than they have are dense, and the others share what is left [evci2020]_. With ``kernels``
    the extents of a convolution's kernel count among the :math:`n_i` (Erdős-Rényi-Kernel), otherwise only its channels do.

    Examples
    --------
    >>> found = erdos_renyi_densities([(300, 784), (100, 300), (10, 100)], 0.05)
    >>> [round(d, 4) for d in found]
    [0.0385, 0.1113, 0.9185]
    >>> round(sum(d * n for d, n in zip(found, (235_200, 30_000, 1_000))))
    13310
    """
    _share(density, "density")
    sizes = [prod(s) for s in shapes]
    raw = [sum(s) / n if kernels else (s[0] + s[1]) / (s[0] * s[1]) for s, n in zip(shapes, sizes, strict=True)]
    return _filled(sizes, raw, density)


def _filled(sizes: Sequence[int], raw: Sequence[float], density: float) -> list[float]:
    is_dense = [False] * len(sizes)
    while True:
        left = density * sum(sizes) - sum(n for n, full in zip(sizes, is_dense, strict=True) if full)
        weight = sum(r * n for r, n, full in zip(raw, sizes, is_dense, strict=True) if not full)
        factor = left / weight if weight else 0.0
        found = [1.0 if full else factor * r for r, full in zip(raw, is_dense, strict=True)]
        beyond = [not full and d > 1 for d, full in zip(found, is_dense, strict=True)]
        if not any(beyond):
            return found
        is_dense = [a or b for a, b in zip(is_dense, beyond, strict=True)]


def rigl_fraction(step: int, end: int, *, alpha: float = 0.3) -> float:
    r"""The share of a layer's weights that RigL replaces: :math:`\frac{\alpha}{2}(1 + \cos(\pi t / T))`, 0 from T on [evci2020]_.

    Examples
    --------
    >>> rigl_fraction(0, 100), round(rigl_fraction(50, 100), 12), rigl_fraction(100, 100)
    (0.3, 0.15, 0.0)
    """
    if end < 1 or step < 0 or not 0 <= alpha <= 1:
        raise InvalidInput(f"step = {step}, end = {end}, alpha = {alpha}.", hint="0 <= step, 1 <= end, 0 <= alpha <= 1")
    return 0.0 if step >= end else alpha / 2 * (1 + cos(pi * step / end))


def gradual_sparsity(step: int, end: int, *, final: float) -> float:
    r"""The sparsity :math:`s_f (1 - (1 - t/T)^3)` of gradual magnitude pruning, from 0 on [zhu2017]_.

    Examples
    --------
    >>> gradual_sparsity(0, 10, final=0.5), gradual_sparsity(5, 10, final=0.5), gradual_sparsity(12, 10, final=0.5)
    (0.0, 0.4375, 0.5)
    """
    if end < 1 or step < 0 or not 0 <= final < 1:
        raise InvalidInput(f"step = {step}, end = {end}, final = {final}.", hint="0 <= step, 1 <= end, 0 <= final < 1")
    return final * (1 - (1 - min(step, end) / end) ** 3)


def exponential_density(density: float, step: int, n_steps: int) -> float:
    r"""The density :math:`\rho^{-k/n}` after step k of n, where :math:`\rho` is 1 / density [tanaka2020]_.

    Examples
    --------
    >>> exponential_density(0.01, 50, 100), exponential_density(0.01, 100, 100)
    (0.1, 0.01)
    """
    if not 0 <= step <= n_steps or n_steps < 1:
        raise InvalidInput(f"step {step} of {n_steps}.", hint="0 <= step <= n_steps, and at least one step")
    return float(_share(density, "density") ** (step / n_steps))


def ticket_density(sizes: Sequence[int], rates: Sequence[float], rounds: int) -> float:
    r"""The share of all weights that rounds of pruning leave, where layer i loses the share ``rates[i]`` of its rest each time.

    Examples
    --------
    The "3.6 %" of LeNet-300-100, whose outputs are pruned at half the rate [frankle2019]_:

    >>> round(100 * ticket_density([235_200, 30_000, 1_000], [0.2, 0.2, 0.1], 15), 2)
    3.58
    """
    if rounds < 0 or any(not 0 <= r < 1 for r in rates):
        raise InvalidInput(f"rounds = {rounds}, rates = {list(rates)}.", hint="0 <= rounds, rates in [0, 1)")
    return sum(n * (1 - r) ** rounds for n, r in zip(sizes, rates, strict=True)) / sum(sizes)


def largest_compression(sizes: Sequence[int]) -> float:
    r"""The compression beyond which some layer must be empty: one weight in each, N / L for N weights in L layers [tanaka2020]_.

    Examples
    --------
    >>> largest_compression([235_200, 30_000, 1_000])
    88733.33333333333
    """
    if not sizes or min(sizes) < 1:
        raise InvalidInput(f"layers of {list(sizes)} weights.", hint="at least one weight in each")
    return sum(sizes) / len(sizes)
