"""What ``plica.learn.fit`` costs beside the same loop written by hand: processor seconds in turns, one thread, medians.

    python benchmarks/bench_learn.py [--repeat 5] [--epochs 4]

Both make as many steps on batches of one size with AdamW; the loop by hand looks at the loss of every step, as any loop does that
wants to stop when it diverges.
"""

from __future__ import annotations

import argparse
import statistics
import time

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

from plica.learn import fit, mlp

CASES = {"2-16-16-2, batch 32": ([2, 16, 16, 2], 32, 4000), "784-128-10, batch 64": ([784, 128, 10], 64, 6400),
         "784-512-512-10, batch 128": ([784, 512, 512, 10], 128, 6400)}  # fmt: skip


def by_hand(model: nn.Module, loader: DataLoader, epochs: int) -> float:
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model.train()
    total = 0.0
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            total += float(loss.detach())
    return total


def seconds(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=4)
    options = parser.parse_args()
    repeat, epochs = options.repeat, options.epochs
    torch.set_num_threads(1)
    for name, (widths, batch, n) in CASES.items():
        x = torch.randn(n, widths[0], generator=torch.Generator().manual_seed(0))
        y = torch.randint(0, widths[-1], (n,), generator=torch.Generator().manual_seed(1))
        loader = DataLoader(TensorDataset(x, y), batch_size=batch, shuffle=True)

        def make(model: nn.Module) -> torch.optim.Optimizer:
            return torch.optim.AdamW(model.parameters(), lr=1e-3)

        ways = {
            "by hand": lambda widths=widths, loader=loader: by_hand(mlp(widths, seed=0), loader, epochs),
            "fit, loader and optimizer of torch": lambda widths=widths, loader=loader: fit(
                mlp(widths, seed=0), loader, epochs=epochs, optimizer=make
            ),
            "fit": lambda widths=widths, x=x, y=y, batch=batch: fit(
                mlp(widths, seed=0), (x, y), epochs=epochs, batch=batch, optimizer="adamw"
            ),
        }  # fmt: skip
        times: dict[str, list[float]] = {way: [] for way in ways}
        for work in ways.values():
            work()
        for _ in range(repeat):
            for way, work in ways.items():
                times[way].append(seconds(work))
        hand = statistics.median(times["by hand"])
        print(name)
        for way, values in times.items():
            print(f"  {way:<36} {statistics.median(values):7.3f} s   {statistics.median(values) / hand:5.2f} x")


if __name__ == "__main__":
    main()
