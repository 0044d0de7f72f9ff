r"""The one room that decides signs.

Everything that is combinatorial about a network follows from signs: a unit's form is negative, zero or positive at a vertex; an
edge is cut where its ends have opposite signs, a cell where it has vertices of both. A rounded number may have the wrong sign,
and then the complex is no complex any more. So no sign is ever read off a rounded number alone. Each is *proved*, by the
cheapest means that can:

1. **Doubles.** A computed value :math:`\hat z` comes with a bound e of its error; where :math:`|\hat z| > e`, its sign is the
   sign of the truth. This decides nearly everything, with one comparison for each number. The bound follows a vertex through the
   layers and grows; where it is too large, the value is computed anew from nothing but the weights: the affine map of a cell is
   the product of its layers, and a vertex is the point where d of their rows vanish.
2. **Extended precision.** The same, with 64 bits instead of 53, for what is left: about one sign in a million of a deep network.
3. **Integers.** Weights are floats, and floats are integers times powers of two. The affine map of a cell has integer
   coefficients, the position of a vertex is a quotient of integers, and the value of a form there has an exact sign. Only here
   can zero be found; and where folds meet by construction, it is found often.

This is the *ladder* (:func:`climb`): a :class:`Question` about some items is handed up rung by rung, and each rung is asked only
what those below it left undecided. Signs at vertices, the order of crossings along an edge or a chord, whether two cells have one
map, where a vertex is, which states a point has: all are questions, and there is no second ladder. A :class:`Decisions` record
counts what each rung decided.

Examples
--------
A fold through the corners of a square is a true zero, which integers find; next to it, doubles decide:

>>> import numpy as np
>>> from plica.geometry import Box, decompose
>>> from plica.network import Linear, Network, Rectifier
>>> diagonal = Linear(np.array([[0.1, -0.1], [0.3, 0.7]]), np.array([0.0, 0.2]))
>>> cx = decompose(Network.sequential(2, [diagonal, Rectifier(), Linear(np.ones((1, 2)))]), Box([-1, -1], [1, 1]))
>>> cx.n_cells, cx.decisions
(4, Decisions(double=10, extended=0, integer=2))
"""

from plica.geometry.signs._decisions import Decisions, Tally
from plica.geometry.signs._ladder import Question, climb
from plica.geometry.signs._precision import PRECISIONS, Precision

__all__ = ["PRECISIONS", "Decisions", "Precision", "Question", "Tally", "climb"]
