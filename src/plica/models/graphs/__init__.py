"""Networks on graphs, given as a dense matrix or as a list of edges.

- :class:`Graph`: directed edges with weights; undirected graphs have both directions.
- Layers: :class:`MessagePassing` (any message, any sum, maximum or mean), :class:`GraphConvolution`, :class:`IsomorphismLayer`,
  :class:`GraphAttention`. Each takes a :class:`Graph` or a dense (n, n) matrix and gives the same values.
- Models: :class:`GCN`, :class:`GIN`, :class:`GAT`, which classify nodes.
"""

from plica.models.graphs._graph import Graph
from plica.models.graphs._layers import GraphAttention, GraphConvolution, IsomorphismLayer, MessagePassing
from plica.models.graphs._models import GAT, GCN, GIN, GATConfig, GCNConfig, GINConfig

__all__ = [
    "GAT",
    "GCN",
    "GIN",
    "GATConfig",
    "GCNConfig",
    "GINConfig",
    "Graph",
    "GraphAttention",
    "GraphConvolution",
    "IsomorphismLayer",
    "MessagePassing",
]
