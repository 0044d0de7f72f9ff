"""Attention: the default path against the fused kernel alone, and cost against length for each variant.

First the overhead: the same queries, keys and values through ``Attend`` and through torch's kernel, in turns, medians of
processor time. Then forward and forward + backward of each variant, processor milliseconds and peak memory that torch allocates,
with the slope of log cost against log length over the longer half, and the length from which it is cheaper than the kernel.

    python benchmarks/bench_attention.py            lengths to 2,048, about two minutes
    python benchmarks/bench_attention.py --long     lengths to 4,096
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention as fused
from torch.profiler import ProfilerActivity, profile

from plica.models import attention as a

HEADS, D_HEAD = 4, 64


def heads(length: int, *, grad: bool = False) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    tensors = (torch.randn(1, HEADS, length, D_HEAD, generator=generator) for _ in range(3))
    return [t.requires_grad_(grad) for t in tensors]


def seconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def overhead() -> None:
    print("the default path against the fused kernel alone (medians of processor time, in turns)")
    print(f"{'length':>8} {'mask':>8} {'pass':>9} {'kernel ms':>10} {'Attend ms':>10} {'ratio':>7}")
    for length in (128, 512, 1024, 2048):
        for mask in ("full", "causal"):
            attend = a.Attend(mask=mask)
            is_causal = mask == "causal"
            for backward in (False, True):
                tensors = heads(length, grad=backward)

                def run(function: Callable[[], Tensor], backward: bool = backward) -> None:
                    output = function()
                    if backward:
                        output.sum().backward()

                def kernel(tensors: list[Tensor] = tensors, is_causal: bool = is_causal) -> Tensor:
                    return fused(*tensors, is_causal=is_causal)

                def ours(tensors: list[Tensor] = tensors, attend: a.Attend = attend) -> Tensor:
                    return attend(*tensors)

                repeat = max(5, min(200, 200_000 // length))
                times: tuple[list[float], list[float]] = ([], [])
                run(kernel)
                run(ours)
                for _ in range(repeat):
                    times[0].append(seconds(lambda: run(kernel)))
                    times[1].append(seconds(lambda: run(ours)))
                one, other = median(times[0]), median(times[1])
                name = "both" if backward else "forward"
                print(f"{length:8} {mask:>8} {name:>9} {one * 1e3:10.2f} {other * 1e3:10.2f} {other / one:7.3f}")


def dense(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The whole matrix, as one would write it."""
    return (q @ k.transpose(-1, -2) * D_HEAD**-0.5).softmax(-1) @ v


def variants(length: int) -> dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]]:
    recurrent = nn.GRU(HEADS * D_HEAD, HEADS * D_HEAD, batch_first=True)

    def gru(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        found: Tensor = recurrent(v.transpose(1, 2).flatten(2))[0]
        return found

    return {
        "fused kernel": a.Attend(),
        "fused, causal": a.Attend(mask="causal"),
        "dense matrix": dense,
        "window 128": a.Attend(mask=a.window(128)),
        "big bird 64": a.Attend(mask=a.big_bird(64, n_random=2)),
        "performer 256": a.Attend(normalizer=a.Performer(D_HEAD, 256)),
        "performer, causal": a.Attend(normalizer=a.Performer(D_HEAD, 256), mask="causal"),
        "linear (elu + 1)": a.Attend(normalizer=a.Linear()),
        "linformer 256": a.Attend(normalizer=a.Linformer(length, 256)),
        "relu": a.Attend(normalizer=a.Pointwise()),
        "GRU 256": gru,
    }


def measure(function: Callable[..., Tensor], length: int, *, backward: bool) -> tuple[float, float]:
    """Processor seconds (the least of a few) and peak megabytes of one pass."""
    tensors = heads(length, grad=backward)

    def run() -> None:
        output = function(*tensors)
        if backward:
            output.sum().backward()

    run()
    best = min(seconds(run) for _ in range(3))
    with hushed(), profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        run()
    held = peak = 0
    for change in allocations(profiler):
        held += change
        peak = max(peak, held)
    return best, peak / 2**20


@contextmanager
def hushed() -> Iterator[None]:
    """Without what the profiler's own library writes to stderr."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def allocations(profiler: Any) -> list[int]:
    """Bytes taken (positive) and given back (negative), in the order of time."""
    found = []
    for event in profiler.profiler.kineto_results.events():
        if event.name() == "[memory]":
            found.append((event.start_ns(), event.nbytes()))
    return [n for _, n in sorted(found)]


def costs(lengths: list[int]) -> None:
    names = list(variants(lengths[0]))
    table: dict[tuple[str, bool], list[tuple[float, float]]] = {}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for length in lengths:
            for name, function in variants(length).items():
                for backward in (False, True):
                    table.setdefault((name, backward), []).append(measure(function, length, backward=backward))
    for backward in (False, True):
        print(f"\n{'forward and backward' if backward else 'forward'}: processor ms | peak MB, {HEADS} heads of {D_HEAD}")
        print(f"{'':>18}" + "".join(f"{n:>16}" for n in lengths) + f"{'slopes':>13}{'cheaper from':>14}")
        kernel = [t for t, _ in table["fused kernel", backward]]
        for name in names:
            cells = table[name, backward]
            text = "".join(f"{t * 1e3:8.1f} |{m:6.1f}" for t, m in cells)
            slopes = [fitted(lengths, [c[i] for c in cells]) for i in (0, 1)]
            cheaper = crossover(lengths, kernel, [t for t, _ in cells], name)
            print(f"{name:>18}{text}   {slopes[0]:4.2f} |{slopes[1]:4.2f} {cheaper:>13}")


def fitted(lengths: list[int], values: list[float]) -> float:
    """Slope of log value against log length, over the longer half."""
    half = len(lengths) // 2
    return float(np.polyfit(np.log(lengths[half:]), np.log(np.maximum(values[half:], 1e-9)), 1)[0])


def crossover(lengths: list[int], kernel: list[float], cells: list[float], name: str) -> str:
    """The length from which on a variant is cheaper than the fused kernel, interpolated on logarithmic axes."""
    if name == "fused kernel":
        return "-"
    gap = np.log(np.array(cells)) - np.log(np.array(kernel))
    if gap[-1] >= 0:
        return "never here"
    last = max((i for i in range(len(gap)) if gap[i] >= 0), default=None)
    if last is None:
        return f"< {lengths[0]}"
    share = gap[last] / (gap[last] - gap[last + 1])
    return f"{np.exp(np.log(lengths[last]) + share * np.log(lengths[last + 1] / lengths[last])):.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="lengths to 4,096")
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, {platform.processor() or platform.machine()}, one thread\n")
    overhead()
    costs([128, 256, 512, 1024, 2048, 4096] if options.long else [128, 256, 512, 1024, 2048])


if __name__ == "__main__":
    main()
