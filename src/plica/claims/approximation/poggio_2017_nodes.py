r"""A tree of n variables costs n - 1 times a function of two.

Claim
    A network of a binary tree with n leaves has n - 1 networks of two variables: its parameters are n - 1 times those of one node
    of the same resolution, and its error is at most sum_v (product of the slopes on the way from v to the root) eps_v.
Source
    T. Poggio, H. Mhaskar, L. Rosasco, B. Miranda, Q. Liao, Int. J. Autom. Comput. 14 (2017), Theorem 2: O((n - 1) eps^{-2/m})
    [poggio2017]. The letters of the lecture's slide (d for n, O(ln 1/eps) layers, "non-binary trees" for no tree) are its own.
Prediction
    n - 1, the ratio of the weights; the sum over nodes, from the slopes and the error of one node, written out
Measurement
    weights of plica.construct.tree for n = 2, 4, 8 at one resolution; the error at random points below the certificate, and the
    certificate against the sum, to a hundredth: its slopes are bounds on boxes
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from plica.claims import Evidence, row
from plica.claims.approximation._lines import lines
from plica.construct import balanced_tree, cos, sin, tree, variables

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("effective-dimension",)
SEED = 1611
RESOLUTION = 12
SLOPES = (Fraction(3, 2), Fraction(1))  # of (1 + sin(3 u + 1) cos(2 v - 1/2)) / 2: at most 3/2 in u and 1 in v


def composed(levels: int, error: float) -> float:
    """E = eps + 3/2 E + E, from the leaves up: the sum over nodes of the products of slopes."""
    return error * float(sum((SLOPES[0] + SLOPES[1]) ** k for k in range(levels)))


def check(scale: str) -> Evidence:
    u, v = variables(2)
    node = (1 + sin(3 * u + 1) * cos(2 * v - Fraction(1, 2))) / 2
    rng = np.random.default_rng(SEED)
    rows, weights = [], {}
    single = tree(balanced_tree(node, 2), RESOLUTION)
    assert single.certificate is not None
    one = float(single.certificate.bound)
    for levels, n in ((1, 2), (2, 4), (3, 8)) + (((4, 16),) if scale == "full" else ()):
        root = balanced_tree(node, n)
        net = tree(root, RESOLUTION)
        assert net.certificate is not None
        weights[n] = net.n_weights
        about: dict[str, Any] = {"n": n, "resolution": RESOLUTION}
        rows.append(row(net.n_weights / single.n_weights, "=", float(n - 1), what="weights of one node", **about))
        x = rng.random((400, n))
        error = float(np.abs(net(x)[:, 0] - root(x)).max())
        bound = float(net.certificate.bound)
        rows.append(row(error, "<=", bound, what="error at points, certificate", **about))
        expected = composed(levels, one)
        rows.append(row(bound, "=", expected, kind="certified", tolerance=0.01, what="certificate, sum over nodes", **about))
    shown = [(list(weights), list(weights.values()), "weights")]
    law = [(list(weights), [(n - 1) * weights[2] for n in weights], "(n - 1) times a node")]
    return Evidence(rows, draw=lines(shown, law, x="variables n", y="weights"), seed=SEED)
