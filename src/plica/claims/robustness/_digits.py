"""A small classifier of handwritten digits, for claims on distances and certificates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica.data import load

if TYPE_CHECKING:
    import torch


def trained(width: int, seed: int) -> tuple[torch.nn.Module, np.ndarray, np.ndarray]:
    """A classifier of the small digits, and inputs that it did not see and gets right."""
    import torch

    torch.manual_seed(seed)
    digits = load("digits")
    x, y = torch.as_tensor(np.asarray(digits.flat, dtype=np.float64)), torch.as_tensor(np.asarray(digits.y)).long()
    x = x / x.max()
    middle = [torch.nn.ReLU(), torch.nn.Linear(width, width), torch.nn.ReLU()]
    model = torch.nn.Sequential(torch.nn.Linear(64, width), *middle, torch.nn.Linear(width, 10)).double()
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
    train, test = order[:-300], order[-300:]
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    for _ in range(150):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x[train]), y[train]).backward()
        optimizer.step()
    right = test[model(x[test]).argmax(1) == y[test]]
    return model.eval(), x[right].numpy(), y[right].numpy()
