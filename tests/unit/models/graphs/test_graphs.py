"""Networks on graphs: dense equals sparse, names of nodes do not matter, formulas are those of the papers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from plica.data import LabeledGraph
from plica.errors import InvalidInput
from plica.models import build
from plica.models.graphs import (
    GAT,
    GCN,
    GIN,
    GATConfig,
    GCNConfig,
    GINConfig,
    Graph,
    GraphAttention,
    GraphConvolution,
    IsomorphismLayer,
    MessagePassing,
)

N = 9
MODELS = [
    (GCN, GCNConfig(4, 3, d_hidden=5)),
    (GAT, GATConfig(4, 3, d_head=2, n_heads=3, n_layers=3, n_last_heads=2)),
    (GIN, GINConfig(4, 3, d_hidden=5)),
    (GIN, GINConfig(4, 3, d_hidden=5, pool=True)),
]


def random_graph(seed: int, *, chance: float = 0.3) -> tuple[Graph, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    upper = (torch.rand(N, N, generator=generator) < chance).triu(1)
    upper[:, N - 1] = False  # one node stays alone
    return Graph.from_edges(upper.nonzero(), N), torch.randn(N, 4, generator=generator).double()


@pytest.mark.parametrize(("cls", "config"), MODELS)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_dense_graph_gives_what_a_sparse_one_gives(cls: Any, config: Any, seed: int) -> None:
    model = build(cls, config, seed=0).double().eval()
    graph, x = random_graph(seed)
    torch.testing.assert_close(model(x, graph), model(x, graph.dense(torch.float64)), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("cls", "config"), MODELS)
def test_renaming_the_nodes_renames_the_outputs(cls: Any, config: Any) -> None:
    model = build(cls, config, seed=0).double().eval()
    graph, x = random_graph(3)
    order = torch.randperm(N, generator=torch.Generator().manual_seed(0))
    expected = model(x, graph) if getattr(config, "pool", False) else model(x, graph)[order]
    torch.testing.assert_close(model(x[order], graph.permuted(order)), expected, rtol=0, atol=1e-12)
    P = torch.eye(N).double()[order]
    torch.testing.assert_close(graph.permuted(order).dense(torch.float64), P @ graph.dense(torch.float64) @ P.T)


def test_renaming_keeps_the_direction_of_edges() -> None:
    graph = Graph(torch.tensor([0, 0, 1]), torch.tensor([1, 2, 2]), torch.tensor([1.0, 2.0, 3.0]), 3)
    order = torch.tensor([2, 0, 1])
    P = torch.eye(3).double()[order]
    torch.testing.assert_close(graph.permuted(order).dense(torch.float64), P @ graph.dense(torch.float64) @ P.T)


def test_a_graph_convolution_is_the_formula_of_the_paper() -> None:
    layer, (graph, x) = GraphConvolution(4, 2).double(), random_graph(1)
    torch.nn.init.normal_(layer.bias)
    A = graph.dense(torch.float64) + torch.eye(N)
    D = torch.diag(A.sum(1) ** -0.5)
    torch.testing.assert_close(layer(x, graph), D @ A @ D @ x @ layer.weight + layer.bias, rtol=0, atol=1e-12)


def test_graph_attention_is_the_formula_of_the_paper() -> None:
    layer, (graph, x) = GraphAttention(4, 3, 2).double(), random_graph(2)
    torch.nn.init.normal_(layer.bias)
    A = graph.dense(torch.float64) + torch.eye(N)
    heads = []
    for h in range(2):
        z = x @ layer.weight[:, 3 * h : 3 * h + 3]
        a = torch.cat([layer.of_target[h], layer.of_source[h]])
        rows = []
        for i in range(N):
            near = A[i].nonzero()[:, 0]
            e = torch.stack([torch.nn.functional.leaky_relu(a @ torch.cat([z[i], z[j]]), 0.2) for j in near])
            rows.append(torch.softmax(e, 0) @ z[near])
        heads.append(torch.stack(rows))
    torch.testing.assert_close(layer(x, graph), torch.cat(heads, 1) + layer.bias, rtol=0, atol=1e-12)
    weights = layer.weights(x, graph.dense(torch.float64))
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, N).double())
    assert ((weights == 0) == (A == 0)).all()


def test_an_isomorphism_layer_sums_over_neighbors() -> None:
    layer, (graph, x) = IsomorphismLayer(4, 3).double(), random_graph(1)
    with torch.no_grad():
        layer.epsilon.fill_(0.25)
    expected = layer.network(1.25 * x + graph.dense(torch.float64) @ x)
    torch.testing.assert_close(layer(x, graph), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("reduction", ["sum", "mean", "max"])
def test_messages_are_reduced_over_the_incoming_edges(reduction: Any) -> None:
    layer = MessagePassing(lambda own, other, weight: weight * (other - own), lambda own, received: own + received, reduction)
    graph, x = random_graph(4)
    A = graph.dense(torch.float64)
    reduce = {"sum": lambda m: m.sum(0), "mean": lambda m: m.mean(0), "max": lambda m: m.amax(0)}[reduction]
    expected = torch.stack([x[i] + (reduce(x[A[i] > 0] - x[i]) if A[i].any() else 0) for i in range(N)])
    torch.testing.assert_close(layer(x, graph), expected)
    torch.testing.assert_close(layer(x, A), expected)


def test_a_directed_edge_carries_its_message_one_way() -> None:
    one_way = Graph.from_edges([(0, 1)], 2, directed=True)
    layer = MessagePassing(lambda own, other, weight: other, lambda own, received: received)
    assert layer(torch.tensor([[1.0], [5.0]]), one_way).tolist() == [[0.0], [1.0]]


def test_no_message_passing_tells_a_hexagon_from_two_triangles() -> None:
    hexagon = Graph.from_edges([(i, (i + 1) % 6) for i in range(6)], 6)
    triangles = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], 6)
    x = torch.ones(6, 4).double()
    for cls, config in MODELS:
        model: Any = build(cls, config, seed=0).double().eval()
        torch.testing.assert_close(model(x, hexagon), model(x, triangles), rtol=0, atol=1e-12)


def test_a_gin_tells_a_star_from_a_path() -> None:
    star, path = Graph.from_edges([(0, 1), (0, 2), (0, 3)], 4), Graph.from_edges([(0, 1), (1, 2), (2, 3)], 4)
    model = build(GIN, GINConfig(4, 3, d_hidden=5, pool=True), seed=0).double()
    x = torch.ones(4, 4).double()
    assert not torch.allclose(model(x, star), model(x, path))


def test_a_graph_goes_to_a_matrix_and_back() -> None:
    graph, _ = random_graph(5)
    again = Graph.from_dense(graph.dense())
    assert torch.equal(again.dense(), graph.dense()) and again.n_edges == graph.n_edges
    assert torch.equal(graph.dense(), graph.dense().T)
    assert Graph.from_edges([(0, 1), (1, 0), (0, 1)], 2).n_edges == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: Graph.from_edges([(0, 3)], 3),
        lambda: Graph.from_edges([(-1, 0)], 3),
        lambda: Graph.from_dense(torch.zeros(2, 3)),
        lambda: Graph.from_dense(torch.full((2, 2), torch.nan)),
        lambda: GraphConvolution(4, 2)(torch.zeros(5, 4), Graph.from_edges([(0, 1)], 3)),
        lambda: GraphConvolution(4, 2)(torch.zeros(3, 4), -3 * torch.ones(3, 3)),
        lambda: MessagePassing(lambda a, b, w: b, lambda a, r: r, "median"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_graph_is_refused(make: Any) -> None:
    with pytest.raises(InvalidInput):
        make()


@pytest.mark.parametrize(("cls", "config"), MODELS)
def test_a_graph_from_the_data_is_taken_as_it_is(cls: Any, config: Any) -> None:
    edges = np.array([[0, 1], [1, 2], [2, 8], [3, 4]])
    nothing = np.zeros(0, dtype=int)
    found = LabeledGraph("small", np.ones((N, 4)), edges, np.zeros(N, dtype=int), nothing, nothing, nothing)
    model, x = build(cls, config, seed=0).eval(), torch.rand(N, 4)
    assert torch.equal(model(x, found), model(x, Graph.from_edges(torch.from_numpy(edges), N)))
    with pytest.raises(InvalidInput, match="the graph is a list"):
        model(x, [(0, 1)])


def test_a_loop_that_is_there_is_replaced_by_one_of_weight_one() -> None:
    A = torch.tensor([[3.0, 1.0], [1.0, 0.0]], dtype=torch.float64)
    assert Graph.from_dense(A).with_loops().dense().tolist() == [[1.0, 1.0], [1.0, 1.0]]
    torch.testing.assert_close(Graph.from_dense(A).normalized.dense(), torch.full((2, 2), 0.5, dtype=torch.float64))


@pytest.mark.parametrize("dense", [False, True])
def test_heads_that_are_not_joined_are_averaged(dense: bool) -> None:
    """Two equal heads are one."""
    graph, _ = random_graph(4)
    one, two = GraphAttention(4, 3, 1, concatenate=False).double(), GraphAttention(4, 3, 2, concatenate=False).double()
    with torch.no_grad():
        two.weight.copy_(torch.cat([one.weight, one.weight], 1))
        for name in ("of_target", "of_source"):
            getattr(two, name).copy_(getattr(one, name).repeat(2, 1))
    x = torch.randn(N, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    where = graph.dense().double() if dense else graph
    torch.testing.assert_close(one(x, where), two(x, where))
