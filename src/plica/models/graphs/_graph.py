"""A graph as a list of edges, and back and forth to a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from plica._lazy import cached_property
from plica.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Graph:
    """Directed edges from ``source`` to ``target`` among ``n_nodes`` nodes, each with a weight.

    Examples
    --------
    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)], 3)
    >>> triangle.n_edges, triangle.dense()[0].tolist()
    (6, [0.0, 1.0, 1.0])
    """

    source: Tensor
    target: Tensor
    weight: Tensor
    n_nodes: int

    def __post_init__(self) -> None:
        if self.source.shape != self.target.shape or self.source.shape != self.weight.shape or self.source.dim() != 1:
            raise InvalidInput("source, target and weight must be three lists of one length.")
        ends = torch.stack([self.source, self.target])
        if ends.is_floating_point():
            raise InvalidInput(f"nodes have type {ends.dtype}.", hint="number them with integers from 0")
        if ends.numel() and (int(ends.min()) < 0 or int(ends.max()) >= self.n_nodes):
            raise InvalidInput(f"an edge ends outside the {self.n_nodes} nodes.", hint="nodes are numbered from 0")
        if not bool(torch.isfinite(self.weight).all()):
            raise InvalidInput("a weight is NaN or infinite.")

    @classmethod
    def from_edges(cls, edges: Tensor | list[tuple[int, int]], n_nodes: int, *, directed: bool = False) -> Graph:
        """The graph with these edges, a pair each; an edge that is given twice counts once."""
        pairs = torch.as_tensor(edges, dtype=torch.long).reshape(-1, 2)
        if not directed:
            pairs = torch.cat([pairs, pairs.flip(1)])
        pairs = torch.unique(pairs, dim=0) if len(pairs) else pairs
        return cls(pairs[:, 0], pairs[:, 1], torch.ones(len(pairs)), n_nodes)

    @classmethod
    def of(cls, found: Any) -> Graph:
        """The graph of anything with ``edges`` (each once, a pair in a row) and ``n_nodes``: what ``plica.data.load`` gives."""
        if isinstance(found, cls):
            return found
        edges, n_nodes = getattr(found, "edges", None), getattr(found, "n_nodes", None)
        if edges is None or not isinstance(n_nodes, int):
            raise InvalidInput(
                f"the graph is a {type(found).__name__}.",
                hint="give a Graph, a square matrix, or what plica.data.load('cora') gave",
            )
        return cls.from_edges(torch.as_tensor(edges), n_nodes)

    @classmethod
    def from_dense(cls, matrix: Tensor) -> Graph:
        """The graph of a matrix: entry (i, j), if not zero, is the weight of the edge from j to i."""
        check_matrix(matrix)
        target, source = matrix.nonzero(as_tuple=True)
        return cls(source, target, matrix[target, source], len(matrix))

    def to(self, device: torch.device | str) -> Graph:
        """The same graph on another device."""
        moved = object.__new__(Graph)  # it was checked here already
        for name in ("source", "target", "weight"):
            object.__setattr__(moved, name, getattr(self, name).to(device))
        object.__setattr__(moved, "n_nodes", self.n_nodes)
        return moved

    @property
    def n_edges(self) -> int:
        """Directed edges."""
        return len(self.source)

    def dense(self, dtype: torch.dtype | None = None) -> Tensor:
        """The matrix A with A_ij the weight of the edge from j to i, so that A X sums over the neighbors."""
        matrix = torch.zeros(self.n_nodes, self.n_nodes, dtype=dtype or self.weight.dtype, device=self.weight.device)
        return matrix.index_put_((self.target, self.source), self.weight.to(matrix.dtype), accumulate=True)

    def with_loops(self) -> Graph:
        """The same graph with one loop of weight 1 at every node; loops that it had are replaced."""
        kept = self.source != self.target
        loops = torch.arange(self.n_nodes, device=self.source.device)
        return Graph(
            torch.cat([self.source[kept], loops]),
            torch.cat([self.target[kept], loops]),
            torch.cat([self.weight[kept], self.weight.new_ones(self.n_nodes)]),
            self.n_nodes,
        )

    def permuted(self, order: Tensor) -> Graph:
        """The same graph with node ``order[i]`` renamed i: its matrix is P A P^T."""
        inverse = torch.argsort(order)
        return Graph(inverse[self.source], inverse[self.target], self.weight, self.n_nodes)

    @cached_property
    def normalized(self) -> Graph:
        r"""The weights of :math:`D^{-1/2} (A + I) D^{-1/2}` [kipf2017]_."""
        g = self.with_loops()
        weight = g.weight.double()  # layers in double precision should not see a rounded square root
        degree = weight.new_zeros(g.n_nodes).index_add_(0, g.target, weight)
        if bool((degree <= 0).any()):
            raise InvalidInput("a node has a degree that is not positive.", hint="the symmetric normalization needs weights >= 0")
        factor = degree.rsqrt()
        return Graph(g.source, g.target, weight * factor[g.source] * factor[g.target], g.n_nodes)


def check_matrix(matrix: Tensor) -> None:
    """Refuse what is not a square matrix of numbers."""
    if matrix.dim() != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InvalidInput(f"an adjacency matrix of shape {tuple(matrix.shape)}.", hint="it must be square")
    if not bool(torch.isfinite(matrix.float()).all()):
        raise InvalidInput("the adjacency matrix has NaN or infinite entries.")


def loops_added(matrix: Tensor) -> Tensor:
    """A with ones on the diagonal."""
    eye = torch.eye(len(matrix), dtype=torch.bool, device=matrix.device)
    return torch.where(eye, torch.ones_like(matrix), matrix)


def normalized_matrix(matrix: Tensor) -> Tensor:
    """The dense twin of :attr:`Graph.normalized`."""
    check_matrix(matrix)
    full = loops_added(matrix)
    degree = full.sum(1)
    if bool((degree <= 0).any()):
        raise InvalidInput("a node has a degree that is not positive.", hint="the symmetric normalization needs weights >= 0")
    return full * degree.rsqrt()[:, None] * degree.rsqrt()
