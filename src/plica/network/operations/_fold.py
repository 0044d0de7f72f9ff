"""Folds: what a piecewise-linear operation tells about itself.

A fold has *neurons*, one for each entry of its output, and a neuron has *states*, small integers: each names one affine piece.
Which state holds is decided by the signs of *forms*. Most folds have the same few forms everywhere: form ``k * n_neurons + u`` is
the k-th form of neuron u, and the signs of a neuron's forms say its state. A *contest* has rounds: in each, a candidate of every
neuron is compared with the winner so far, so that the forms of a round depend on the states before it.

Forms have *codes* that name them for good: the number of the form, or what a contest makes of neuron, round and state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from plica._types import Array
from plica.network.operations._forms import EntryForms, Pieces
from plica.network.operations._op import Op, Shape

T = TypeVar("T")


class Calculus(Protocol[T]):
    """Tensors of some kind that can be rectified, moved, combined and picked from: enough to say what a fold is."""

    def rectified(self, x: T, slope: Array) -> T:
        """x where x > 0, slope * x elsewhere."""
        ...

    def moved(self, x: T, offset: float) -> T:
        """x + offset."""
        ...

    def combined(self, a: T, b: T, factor: float) -> T:
        """a + factor * b."""
        ...

    def taken(self, x: T, indices: Array) -> T:
        """Entries of the flat tensor, in the shape of the indices."""
        ...


@dataclass(frozen=True, eq=False)
class Fold(Op):
    """A piecewise-linear operation. Its *state* at a point says which affine piece applies, one small integer a neuron."""

    forms_per_neuron: ClassVar[int] = 1  # of a fold that is no contest
    is_contest: ClassVar[bool] = False
    is_homogeneous: ClassVar[bool] = True  # fold(c x) = c fold(x) for all c > 0: it has no thresholds

    @property
    def state_type(self) -> type[np.signedinteger[Any]]:
        """The integers that states are: one byte each, unless a neuron has more than 127 states."""
        return np.int8

    @property
    def folds_once(self) -> bool:
        """Whether every neuron folds along one hyperplane: what theorems on rectifiers are about."""
        return not self.is_contest and self.forms_per_neuron == 1

    # -- evaluation ----------------------------------------------------------------------------------------------------

    def apply(self, xs: list[Array]) -> Array:
        return self.select(xs[0], self.state(xs[0]))

    def state(self, x: Array) -> Array:
        """The state of every neuron at each point of the batch; for any numbers that compare with floats."""
        raise NotImplementedError

    def select(self, x: Array, state: Array) -> Array:
        """The affine piece chosen by ``state``, at ``x``."""
        n = len(x)
        pieces = self.pieces(state.reshape(len(state), -1), x.shape[1:])
        return pieces.values(x.reshape(n, -1)).reshape(n, *state.shape[1:])

    def pieces(self, states: Array, shape: Shape) -> Pieces:
        """The affine pieces of the states (..., neurons), for an input of the given shape."""
        raise NotImplementedError

    # -- cutting -------------------------------------------------------------------------------------------------------

    @property
    def rounds(self) -> Sequence[int]:
        """The numbers of the rounds; a fold that is no contest has round 0 alone."""
        return range(1)

    def codes(self, round_: int, states: Array, size: int) -> Array:
        """The codes of all forms of a round on cells with the given states (..., neurons) so far."""
        return np.arange(self.forms_per_neuron * size)

    def code(self, form: Array, round_: int, state: Array) -> Array:
        """The codes of some forms of a round, given by their number and by the state of their neuron so far."""
        return form

    def forms(self, codes: Array, size: int) -> EntryForms:
        """The forms with these codes; ``size`` is the number of entries of the input."""
        raise NotImplementedError

    def contest(self, values: Array, round_: int) -> tuple[Array, Array, Array]:
        """At points (rows): the candidates of a round, the best of those before them, and which candidates cannot win."""
        raise NotImplementedError

    def decided(self, round_: int, states: Array, is_positive: Array) -> Array:
        """The states after a round, given those before it and where its forms are positive (..., forms)."""
        raise NotImplementedError

    def states_where(self, is_positive: Callable[[EntryForms], Array], shape: Shape) -> Array:
        """The states at one point, by asking which forms are positive there. Ties are forms that are zero: not positive."""
        size = int(np.prod(shape))
        states = np.zeros(int(np.prod(self.output_shape(shape))), self.state_type)
        for round_ in self.rounds:
            states = self.decided(round_, states, is_positive(self.forms(self.codes(round_, states, size), size)))
        return states

    def walls(self, states: Array, size: int) -> EntryForms:
        """The forms that are nonnegative on a cell with the states (..., neurons), and bound it; 1 where a neuron has fewer."""
        raise NotImplementedError

    def bends(self, neurons: Array, shape: Shape) -> Array:
        """Whether the pieces of the neurons differ at all."""
        return np.ones(len(neurons), np.bool_)

    def without_members(self, which: Array) -> Fold:
        """A contest in which some candidates (neurons, positions) cannot win; codes and states stay what they are."""
        raise NotImplementedError

    def without_repeats(self, numbers: Array) -> Fold:
        """The fold for an input whose entries with equal numbers are equal: candidates that repeat an earlier one cannot win."""
        return self

    # -- bounds --------------------------------------------------------------------------------------------------------

    def lipschitz(self) -> float:
        """By how much the fold may stretch, in the 2-norm."""
        return 1.0

    def joint_lipschitz(self, constants: list[float]) -> float:
        return constants[0] * self.lipschitz() * (1 + 1e-12)

    def form_gain(self) -> float:
        """By how much all forms of a round together may stretch, in the 2-norm."""
        return 1.0

    def largest(self, sizes: Array) -> Array:
        """Upper bounds of the magnitudes of the output (and of all pieces at the point), given those of the input."""
        raise NotImplementedError

    def by_rectifiers(self, x: T, calculus: Calculus[T]) -> T:
        """The fold as a formula of rectifiers, in any :class:`Calculus` of tensors."""
        raise NotImplementedError

    def rescaled(self, exponent: int) -> Fold:
        """The fold for tensors that are stored in neurons of ``2**exponent``."""
        return self

    @property
    def factors(self) -> Array:
        """The numbers other than 0, 1 and -1 by which its pieces multiply entries."""
        return np.empty(0)

    @property
    def constants(self) -> Array:
        """The numbers that its forms and pieces add to entries."""
        return np.empty(0)
