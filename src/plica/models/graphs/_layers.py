"""Layers that send messages along edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput
from plica.models.attention import Explanation
from plica.models.graphs._graph import Graph, check_matrix, loops_added, normalized_matrix

Reduction = Literal["sum", "mean", "max"]


def on_nodes(x: Tensor, graph: Any) -> Graph | Tensor:
    """The graph or its matrix, or a refusal if the features (n, d) do not fit it."""
    found = graph if isinstance(graph, Tensor) else Graph.of(graph)
    n = found.n_nodes if isinstance(found, Graph) else len(found)
    if x.dim() != 2 or len(x) != n:
        raise InvalidInput(f"features have shape {tuple(x.shape)}, the graph has {n} nodes.", hint="give one row for each node")
    return found


def propagate(graph: Graph | Tensor, x: Tensor) -> Tensor:
    """A X: the weighted sum over the neighbors of every node."""
    graph = on_nodes(x, graph)
    if isinstance(graph, Graph):
        messages = x[graph.source] * graph.weight.to(x.dtype)[:, None]
        return torch.zeros_like(x).index_add_(0, graph.target, messages)
    return graph.to(x.dtype) @ x


class MessagePassing(nn.Module):
    """x_i <- update(x_i, reduce over the edges j -> i of message(x_i, x_j, weight)) [gilmer2017]_.

    Parameters
    ----------
    message
        From (E, d), (E, d) and (E, 1) to (E, m).
    update
        From (n, d) and (n, m) to (n, k).
    reduction
        ``sum``, ``mean`` or ``max``; a node without incoming edges receives 0.

    Examples
    --------
    The sum of the neighbors:

    >>> layer = MessagePassing(lambda own, other, weight: other, lambda own, received: received)
    >>> path = Graph.from_edges([(0, 1), (1, 2)], 3)
    >>> layer(torch.tensor([[1.0], [2.0], [4.0]]), path).T
    tensor([[2., 5., 2.]])
    """

    def __init__(
        self,
        message: Callable[[Tensor, Tensor, Tensor], Tensor],
        update: Callable[[Tensor, Tensor], Tensor],
        reduction: Reduction = "sum",
    ) -> None:
        super().__init__()
        if reduction not in ("sum", "mean", "max"):
            raise InvalidInput(f"unknown reduction {reduction!r}.", hint="use sum, mean or max")
        self.message, self.update, self.reduction = message, update, reduction

    def forward(self, x: Tensor, graph: Graph | Tensor) -> Tensor:
        graph = on_nodes(x, graph)
        edges = graph if isinstance(graph, Graph) else Graph.from_dense(graph)
        messages = self.message(x[edges.target], x[edges.source], edges.weight.to(x.dtype)[:, None])
        received = torch.zeros(len(x), messages.shape[1], dtype=messages.dtype, device=messages.device)
        index = edges.target[:, None].expand_as(messages)
        how = {"sum": "sum", "mean": "mean", "max": "amax"}[self.reduction]
        received = received.scatter_reduce(0, index, messages, how, include_self=False)
        return self.update(x, received)


class GraphConvolution(nn.Module):
    r"""X' = D^{-1/2} (A + I) D^{-1/2} X W + b [kipf2017]_."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_in, d_out))
        self.bias = nn.Parameter(torch.zeros(d_out))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x: Tensor, graph: Graph | Tensor) -> Tensor:
        graph = on_nodes(x, graph)
        operator = graph.normalized if isinstance(graph, Graph) else normalized_matrix(graph.to(x.dtype))
        return propagate(operator, x @ self.weight) + self.bias


class IsomorphismLayer(nn.Module):
    """X' = MLP((1 + eps) X + A X) with a learned eps [xu2019]_: as fine as the Weisfeiler-Leman test."""

    def __init__(self, d_in: int, d_out: int, d_hidden: int | None = None) -> None:
        super().__init__()
        self.epsilon = nn.Parameter(torch.zeros(()))
        middle = d_hidden or d_out
        self.network = nn.Sequential(nn.Linear(d_in, middle), nn.ReLU(), nn.Linear(middle, d_out))

    def forward(self, x: Tensor, graph: Graph | Tensor) -> Tensor:
        out: Tensor = self.network((1 + self.epsilon) * x + propagate(graph, x))
        return out


class GraphAttention(nn.Module):
    r"""Attention over the neighbors and oneself, a head's score LeakyReLU(a^T [W x_i, W x_j]) with slope 0.2 [velickovic2018]_.

    It is additive attention with the mask A + I: the weights of edges do not enter, only whether they are there.
    """

    def __init__(self, d_in: int, d_head: int, n_heads: int, *, concatenate: bool = True, dropout: float = 0.0) -> None:
        super().__init__()
        self.d_head, self.n_heads, self.concatenate = d_head, n_heads, concatenate
        self.weight = nn.Parameter(torch.empty(d_in, n_heads * d_head))
        self.of_target = nn.Parameter(torch.empty(n_heads, d_head))
        self.of_source = nn.Parameter(torch.empty(n_heads, d_head))
        self.bias = nn.Parameter(torch.zeros(n_heads * d_head if concatenate else d_head))
        self.dropout = nn.Dropout(dropout)
        for parameter in (self.weight, self.of_target, self.of_source):
            nn.init.xavier_uniform_(parameter)

    def forward(self, x: Tensor, graph: Graph | Tensor) -> Tensor:
        graph = on_nodes(x, graph)
        z = (self.dropout(x) @ self.weight).unflatten(1, (self.n_heads, self.d_head))  # (n, h, d)
        left, right = (z * self.of_target).sum(-1), (z * self.of_source).sum(-1)  # (n, h)
        mixed = self._sparse(z, left, right, graph) if isinstance(graph, Graph) else self._dense(z, left, right, graph)
        return (mixed.flatten(1) if self.concatenate else mixed.mean(1)) + self.bias

    def weights(self, x: Tensor, matrix: Tensor) -> Tensor:
        """The attention (h, n, n) of a dense graph, without dropout."""
        z = (x @ self.weight).unflatten(1, (self.n_heads, self.d_head))
        return self._dense_weights((z * self.of_target).sum(-1), (z * self.of_source).sum(-1), matrix)

    def explain_call(self, output: Tensor, x: Tensor, graph: Graph | Tensor) -> Explanation:
        """What :func:`plica.record` keeps of a call that gave ``output``: weights (1, h, n, n)."""
        return Explanation.of_weights(output, self.weights(x, graph.dense() if isinstance(graph, Graph) else graph)[None])

    def _dense_weights(self, left: Tensor, right: Tensor, matrix: Tensor) -> Tensor:
        check_matrix(matrix)
        scores = nn.functional.leaky_relu(left.T[:, :, None] + right.T[:, None], 0.2)
        return torch.softmax(scores.masked_fill(loops_added(matrix) == 0, float("-inf")), -1)

    def _dense(self, z: Tensor, left: Tensor, right: Tensor, matrix: Tensor) -> Tensor:
        weights = self.dropout(self._dense_weights(left, right, matrix))
        return (weights @ self.dropout(z).transpose(0, 1)).transpose(0, 1)

    def _sparse(self, z: Tensor, left: Tensor, right: Tensor, graph: Graph) -> Tensor:
        g = graph.with_loops()
        scores = nn.functional.leaky_relu(left[g.target] + right[g.source], 0.2)  # (E, h)
        index = g.target[:, None].expand_as(scores)
        top = torch.full_like(left, float("-inf")).scatter_reduce(0, index, scores.detach(), "amax")
        raised = torch.exp(scores - top[g.target])
        total = torch.zeros_like(left).index_add_(0, g.target, raised)
        weights = self.dropout(raised / total[g.target])
        return torch.zeros_like(z).index_add_(0, g.target, weights[:, :, None] * self.dropout(z)[g.source])
