"""On a line: from the input of a layer of ReLUs straight to the input of the next layer, at all breakpoints.

What :mod:`plica.geometry.plane._deferred` does on edges and chords is done here on the pieces of a line, and through any chain
of affine operations, not only a dense layer: a unit that changes at a breakpoint reaches few entries through
convolutions and pooling.
"""

from __future__ import annotations

from collections import Counter
from math import sqrt

import numpy as np

from plica.geometry.line import _deferred_kernels
from plica.geometry.line._cut import LineCut
from plica.geometry.line._deferred_kernels import Breakpoints, ChainBounds, Columns
from plica.geometry.plane._deferred import columns_of
from plica.geometry.values._sparse import columns_after, matrix_of
from plica.geometry.values._tensors import NORM_UNDERFLOW, UNDERFLOW, Rows, Tensor, affine_constants, affine_values, feeds_maximum
from plica.network import Affine, Network, once_per_network

_NO_COLUMNS = np.empty((0, 0))
_NOWHERE = (np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(1))  # dense columns have entries everywhere


@once_per_network
def chain_after(network: Network, index: int) -> tuple[int, ...]:
    """The affine nodes from a layer of ReLUs to the next layer, if nothing else reads what lies between; otherwise ().

    The output is not reached this way: it is evaluated, so that it is as good as the network itself.
    """
    node, uses = network.nodes[index], network.last_uses
    readers = Counter(i for other in network.nodes[index + 1 :] for i in other.inputs)
    if not node.op.is_relu or index in feeds_maximum(network):
        return ()
    if uses[node.inputs[0]] != index:
        return ()
    chain: list[int] = []
    last = index
    while last + 1 < len(network.nodes) and readers[last] == 1 and network.nodes[last + 1].inputs == (last,):
        follower = network.nodes[last + 1]
        if not isinstance(follower.op, Affine):
            break
        dense = not chain and follower.op.dense is not None and len(network.nodes[last].shape) == 1
        if not dense and matrix_of(network, last + 1) is None:
            break
        chain.append(last + 1)
        last += 1
        if dense:
            break
    return () if last == len(network.nodes) - 1 else tuple(chain)


def after_chain(network: Network, chain: tuple[int, ...], source: Tensor, cut: LineCut) -> Tensor:
    """The end of the chain at all breakpoints, from the input of the layer of ReLUs at the old ones."""
    z = source.values
    op = network.nodes[chain[0]].op
    if len(chain) == 1 and isinstance(op, Affine) and op.dense is not None and len(network.nodes[chain[0]].shape) == 1:
        columns, units = Columns(columns_of(network, chain[0]), *_NOWHERE, True), cut.event_form
        positive, kept, square = _deferred_kernels.rectify_live(z, columns.dense)
        values = positive @ kept
        if op.offset is not None:
            values += op.offset
    else:
        values = np.maximum(z, 0.0)
        square = float(np.einsum("ij,ij->i", values, values).max())
        for index in chain:
            values = affine_values(network, index, [values])
        wanted, units = np.unique(cut.event_form, return_inverse=True)
        sparse = columns_after(network, chain, wanted)
        columns = Columns(_NO_COLUMNS, sparse.indptr, sparse.indices, sparse.data, False)
    norm = sqrt(square) * (1 + 1e-12) + NORM_UNDERFLOW
    gain, slip, reach, gamma = 1.0, 0.0, 1.0, 0.0  # an error e of relu(z) is gain * e + slip before the last operation
    for index in chain[:-1]:
        c = affine_constants(network, index)
        gain, slip = c.gain * gain, c.gain * slip + c.gamma * (c.absolute_gain * norm + c.offset_norm) + UNDERFLOW
        norm = c.gain * norm + c.offset_norm
        reach, gamma = reach * c.absolute_gain, gamma + c.gamma
    c = affine_constants(network, chain[-1])
    gamma += c.gamma if len(chain) > 1 else 0.0  # the columns of a chain are products themselves
    breakpoints = Breakpoints(cut.p, cut.t, cut.t_error, cut.form, cut.event_cell, cut.event_form, units)
    constant = c.gamma * (c.absolute_gain * norm + c.offset_norm) + UNDERFLOW
    bounds = ChainBounds(norm, reach, gamma, gain, slip, c.gain, c.absolute_gain, constant, c.offset_norm)
    out, before, error, share = _deferred_kernels.deferred_on_line(z, source.error, values, columns, breakpoints, bounds)
    if c.row_norms is None:
        return Tensor(out, error)
    floor = (c.gamma * norm) * c.row_norms
    floor += (c.gamma + share) * c.offset_rows + UNDERFLOW
    return Tensor(out, error, Rows(c.row_norms, before, floor))
