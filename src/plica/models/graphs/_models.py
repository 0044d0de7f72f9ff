"""Networks that classify the nodes of a graph, or the graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from plica.models._config import Config, positive, share
from plica.models._model import Model
from plica.models.graphs._layers import GraphAttention, GraphConvolution, IsomorphismLayer, on_nodes


@dataclass(frozen=True)
class GCNConfig(Config):
    """A stack of graph convolutions with ReLU between them."""

    d_in: int
    n_classes: int
    d_hidden: int = 16
    n_layers: int = 2
    dropout: float = 0.5

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {"cora": {"d_in": 1433, "n_classes": 7}}

    def problems(self) -> list[tuple[str, str]]:
        sizes = positive(d_in=self.d_in, n_classes=self.n_classes, d_hidden=self.d_hidden, n_layers=self.n_layers)
        return [*sizes, *share(dropout=self.dropout)]


class GCN(Model[GCNConfig]):
    """Graph convolutional network [kipf2017]_.

    Examples
    --------
    >>> GCN.count_parameters("cora")
    23063
    """

    Config = GCNConfig

    def __init__(self, config: GCNConfig) -> None:
        super().__init__(config)
        widths = [config.d_in, *[config.d_hidden] * (config.n_layers - 1), config.n_classes]
        self.layers = nn.ModuleList(GraphConvolution(a, b) for a, b in pairwise(widths))
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, graph: Any) -> Tensor:
        """Logits (n, n_classes) of the nodes with features (n, d_in) of a Graph, its matrix, or a graph from ``plica.data``."""
        graph = on_nodes(x, graph)
        for i, layer in enumerate(self.layers):
            x = layer(self.dropout(torch.relu(x) if i else x), graph)
        return x


@dataclass(frozen=True)
class GATConfig(Config):
    """Heads whose outputs are joined with ELU between layers; the last layer averages its heads."""

    d_in: int
    n_classes: int
    d_head: int = 8
    n_heads: int = 8
    n_layers: int = 2
    n_last_heads: int = 1
    dropout: float = 0.6

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {"cora": {"d_in": 1433, "n_classes": 7}}

    def problems(self) -> list[tuple[str, str]]:
        sizes = positive(
            d_in=self.d_in, n_classes=self.n_classes, d_head=self.d_head, n_heads=self.n_heads, n_layers=self.n_layers
        )
        return [*sizes, *positive(n_last_heads=self.n_last_heads), *share(dropout=self.dropout)]


class GAT(Model[GATConfig]):
    """Graph attention network [velickovic2018]_.

    Examples
    --------
    >>> GAT.count_parameters("cora")
    92373
    """

    Config = GATConfig

    def __init__(self, config: GATConfig) -> None:
        super().__init__(config)
        c, wide = config, config.n_heads * config.d_head
        inner = [GraphAttention(wide if i else c.d_in, c.d_head, c.n_heads, dropout=c.dropout) for i in range(c.n_layers - 1)]
        last = GraphAttention(wide if inner else c.d_in, c.n_classes, c.n_last_heads, concatenate=False, dropout=c.dropout)
        self.layers = nn.ModuleList([*inner, last])

    def forward(self, x: Tensor, graph: Any) -> Tensor:
        """Logits (n, n_classes) of the nodes with features (n, d_in) of a Graph, its matrix, or a graph from ``plica.data``."""
        graph = on_nodes(x, graph)
        for i, layer in enumerate(self.layers):
            x = layer(nn.functional.elu(x) if i else x, graph)
        return x


@dataclass(frozen=True)
class GINConfig(Config):
    """Layers of sums and MLPs; ``pool`` adds up the nodes, for graphs as a whole."""

    d_in: int
    n_classes: int
    d_hidden: int = 64
    n_layers: int = 3
    pool: bool = False

    def problems(self) -> list[tuple[str, str]]:
        return positive(d_in=self.d_in, n_classes=self.n_classes, d_hidden=self.d_hidden, n_layers=self.n_layers)


class GIN(Model[GINConfig]):
    """Graph isomorphism network [xu2019]_: logits of the nodes, or with ``pool`` of the graph (1, n_classes)."""

    Config = GINConfig

    def __init__(self, config: GINConfig) -> None:
        super().__init__(config)
        c = config
        self.layers = nn.ModuleList(IsomorphismLayer(c.d_hidden if i else c.d_in, c.d_hidden) for i in range(c.n_layers))
        self.output = nn.Linear(c.d_hidden, c.n_classes)

    def forward(self, x: Tensor, graph: Any) -> Tensor:
        """Logits of the nodes with features (n, d_in), or of the graph."""
        graph = on_nodes(x, graph)
        for layer in self.layers:
            x = torch.relu(layer(x, graph))
        logits: Tensor = self.output(x.sum(0, keepdim=True) if self.config.pool else x)
        return logits
