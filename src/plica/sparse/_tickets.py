"""Lottery tickets: train, prune the smallest weights, go back to the beginning, and again [frankle2019]_."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from plica.errors import InvalidInput
from plica.sparse._choose import count_kept
from plica.sparse._masks import Masks, apply_masks, density, full_masks, kept, weights

if TYPE_CHECKING:
    from torch import Tensor, nn

T = TypeVar("T")
State = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Ticket(Generic[T]):
    """One round: which weights there were, where they began, and what training made of them.

    Attributes
    ----------
    masks
        What was trained in this round.
    start
        The state to which the weights were set before: the ticket is ``start`` with ``masks``.
    result
        What ``train`` returned.
    density
        The share of the weights that was there.
    """

    masks: Masks
    start: State
    result: T
    density: float


def find_tickets(
    model: nn.Module,
    train: Callable[[nn.Module], T],
    *,
    rounds: int = 15,
    rate: float | Mapping[str, float] | Sequence[Mapping[str, float]] = 0.2,
    rewind: Callable[[nn.Module], Any] | None = None,
) -> list[Ticket[T]]:
    """Iterative magnitude pruning, layer by layer, with weights that go back to where they began.

    Parameters
    ----------
    model
        At its initialization; it is trained in place, and is in the end what the last round made of it.
    train
        Trains a module and returns what is to be known of it; masks are kept meanwhile.
    rounds
        How often weights are pruned; ``train`` runs once more.
    rate
        The share of a layer's remaining weights that a round takes away, for all or by the names of parameters; or that for
        each round. Of a number the last layer has half, as in the paper.
    rewind
        A short training, after which the state is kept to which all rounds go back (Frankle, Dziugaite, Roy and Carbin 2020);
        without it they go back to the initialization.

    Examples
    --------
    >>> import plica
    >>> from plica.learn import fit, mlp
    >>> moons = plica.data.load("moons")
    >>> found = find_tickets(mlp([2, 16, 16, 1], seed=0), lambda m: fit(m, moons, epochs=1), rounds=2)
    >>> [round(t.density, 2) for t in found]
    [1.0, 0.81, 0.65]
    """
    if rounds < 0:
        raise InvalidInput(f"rounds = {rounds}.", hint="0 or more")
    by_round = [layer_rates(model, r) for r in (rate if isinstance(rate, Sequence) else [rate] * rounds)]
    if len(by_round) != rounds:
        raise InvalidInput(f"rates for {len(by_round)} of {rounds} rounds.", hint="one for each")
    if rewind is not None:
        rewind(model)
    start, masks, found = deepcopy(model.state_dict()), full_masks(model), list[Ticket[T]]()
    for k in range(rounds + 1):
        if k:
            masks = smaller(model, masks, by_round[k - 1])
            model.load_state_dict(start)
        with kept(model, masks):
            result = train(model)
        found.append(Ticket(masks, start, result, density(masks)))
    return found


def layer_rates(model: nn.Module, rate: float | Mapping[str, float]) -> dict[str, float]:
    """The rate of each parameter; a number is halved for the last one."""
    names = list(weights(model))
    rates = dict(rate) if isinstance(rate, Mapping) else dict.fromkeys(names, rate) | {names[-1]: rate / 2}
    if set(rates) != set(names) or any(not 0 <= r < 1 for r in rates.values()):
        raise InvalidInput(f"rates {rates}.", hint=f"shares in [0, 1) for {', '.join(names)}")
    return rates


def smaller(model: nn.Module, masks: Mapping[str, Tensor], rates: Mapping[str, float]) -> Masks:
    """The masks after one more round: of each layer the smallest remaining weights go."""
    import torch

    found = {}
    for name, w in weights(model).items():
        size, mask = w.detach().abs().masked_fill(~masks[name], -1.0).reshape(-1), torch.zeros(w.numel(), dtype=torch.bool)
        n = count_kept(1 - rates[name], int(masks[name].sum()))
        mask[torch.argsort(size, descending=True, stable=True)[:n]] = True
        found[name] = mask.view(w.shape)
    return found


def reinitialized(ticket: Ticket[Any], fresh: nn.Module) -> nn.Module:
    """A module with other first weights and the ticket's masks: the control of the experiment. It is changed and returned."""
    apply_masks(fresh, ticket.masks)
    return fresh
