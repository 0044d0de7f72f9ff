"""Classifying the nodes of a graph when few labels are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from plica.learn._probes import Look, Measure
from plica.learn.tasks._recipe import Recipe, train
from plica.models.graphs import Graph


@dataclass(frozen=True)
class Nodes:
    """A graph with features (rows sum to one) and labels, of which some are for training."""

    graph: Graph
    x: Tensor
    y: Tensor
    train: Tensor
    val: Tensor
    test: Tensor


def cora(root: Path | None = None) -> Nodes:
    """Cora with the split of Planetoid [yang2016]_: 140 labels for training, 500 for stopping, 1,000 for testing."""
    from plica import data

    found = data.load("cora", root=root)
    x = torch.from_numpy(found.features)
    parts = (torch.from_numpy(np.asarray(part)) for part in (found.labels, found.train, found.val, found.test))
    return Nodes(Graph.of(found), x / x.sum(1, keepdim=True).clamp(min=1), *parts)


def planted_partition(n: int = 300, n_classes: int = 3, *, inside: float = 0.06, across: float = 0.006, seed: int = 0) -> Nodes:
    """Nodes of one class are linked ten times as often as nodes of two, and have the words of their class slightly more often."""
    generator = torch.Generator().manual_seed(seed)
    y = torch.arange(n) % n_classes
    chance = torch.where(y[:, None] == y, inside, across)
    upper = torch.rand(n, n, generator=generator).triu(1) > 1 - chance
    words = torch.arange(40) % n_classes
    likely = torch.where(words == y[:, None], 0.22, 0.12)
    x = (torch.rand(n, 40, generator=generator) < likely).float()
    order = torch.randperm(n, generator=generator)
    graph = Graph.from_edges(upper.nonzero(), n)
    return Nodes(graph, x / x.sum(1, keepdim=True).clamp(min=1), y, order[:30], order[30:90], order[90:])


def without_edges(nodes: Nodes) -> Nodes:
    """The same nodes, unconnected."""
    n = len(nodes.y)
    return Nodes(Graph.from_edges([], n), nodes.x, nodes.y, nodes.train, nodes.val, nodes.test)


def node_accuracy(
    model: nn.Module, nodes: Nodes, *, n_epochs: int, rate: float, penalty: float, seed: int, penalized: Sequence[Tensor]
) -> float:
    """Train with all known labels at once; the test accuracy at the epoch with the best validation loss."""
    best = {"loss": float("inf"), "accuracy": 0.0}

    def objective(model: nn.Module, known: Tensor) -> Tensor:
        logits = model(nodes.x, nodes.graph)
        weights = sum((w.square().sum() for w in penalized), torch.zeros(()))
        return nn.functional.cross_entropy(logits[known], nodes.y[known]) + penalty / 2 * weights

    def look(now: Look) -> float:
        with torch.no_grad():
            logits = now.model(nodes.x, nodes.graph)
            value = float(nn.functional.cross_entropy(logits[nodes.val], nodes.y[nodes.val]))
            if now.step and value < best["loss"]:
                hits = (logits[nodes.test].argmax(1) == nodes.y[nodes.test]).double()
                best.update(loss=value, accuracy=float(hits.mean()))
        return value

    recipe = Recipe(n_epochs, rate=rate, last=1.0, betas=(0.9, 0.999), clip=None, seed=seed)
    probe = Measure(name="validation_loss", function=look, unit="step")
    train(model, lambda step: nodes.train, objective, recipe, probes=[probe])
    return best["accuracy"]
