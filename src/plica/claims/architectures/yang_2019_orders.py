r"""XLNet: in every order of the tokens the probabilities of all texts add up to one.

Claim
    A two-stream transformer that predicts each token from those before it in a given order defines a probability on texts for
    every order; with the identity order it is a causal language model.
Source
    Z. Yang et al., XLNet: Generalized Autoregressive Pretraining, NeurIPS 2019, sections 2.2 and 2.3 [yang2019].
Prediction
    1, the sum over all texts; 0 predictions that change when a token that comes later in the order, or the token itself, changes
Measurement
    plica.models.efficient.PermutationLM in double precision: all texts of a small vocabulary, with the rounding error;
    predictions compared bit for bit after changing one token at a time
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

from plica._palette import MAGNITUDES
from plica.claims import Evidence, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes


STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEED = 1906
ROUNDING = 1e-13


def check(scale: str) -> Evidence:
    import torch

    from plica.models import build
    from plica.models.efficient import PermutationLM, PermutationLMConfig

    n, vocabulary = (4, 4) if scale == "full" else (3, 3)
    config = PermutationLMConfig(vocabulary, d_model=16, n_layers=2, n_heads=2, max_length=n)
    model = build(PermutationLM, config, seed=SEED).double().eval()
    texts = torch.cartesian_prod(*[torch.arange(vocabulary)] * n)
    rows = []
    with torch.no_grad():
        for order in permutations(range(n)):
            logits = model(texts, order)
            logs = torch.log_softmax(logits, -1).gather(2, texts[:, :, None]).sum((1, 2))
            case: dict[str, Any] = {"order": " ".join(map(str, order)), "texts": len(texts)}
            rows.append(
                row(
                    float(logs.exp().sum()),
                    "=",
                    1.0,
                    kind="estimated",
                    standard_error=ROUNDING,
                    what="sum of probabilities",
                    **case,
                )
            )
            rows.append(row(_leaks(model, texts[:1], order), "=", 0, what="predictions that change", **case))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Which tokens a prediction sees in the order 2 0 3 1: those before it, never itself."""
    order = (2, 0, 3, 1)
    sees = [[order.index(other) < order.index(token) for other in range(4)] for token in range(4)]
    ax.imshow(sees, cmap=MAGNITUDES)
    ax.set(xlabel="token that is seen", ylabel="token that is predicted", title="order " + " ".join(map(str, order)))
    ax.set_xticks(range(4))
    ax.set_yticks(range(4))


def _leaks(model: Any, text: Any, order: tuple[int, ...]) -> int:
    """Pairs of a prediction and a token not before it whose change is seen."""
    before, count = model(text, order), 0
    for place, position in enumerate(order):
        changed = text.clone()
        changed[0, position] = (changed[0, position] + 1) % model.config.vocabulary
        differs = (model(changed, order) != before).any(-1)[0]
        count += int(differs[list(order[: place + 1])].sum())
    return count
