"""Which choices go together, and why others do not."""

from __future__ import annotations

from plica.errors import InvalidInput
from plica.models.attention._masks import Mask
from plica.models.attention._normalizers import FeatureMap, Linformer, Normalizer
from plica.models.attention._positions import Position, Relative, Rotary
from plica.models.attention._scores import Distance, Score


def require_legal(score: Score, mask: Mask, normalizer: Normalizer, position: Position, *, biased: bool = False) -> None:
    """Raise with the reason if the four choices contradict each other; ``biased``: a bias is added to the scores."""
    reason = illegal_because(score, mask, normalizer, position, biased=biased)
    if reason:
        names = f"score {score.name!r}, mask {mask.name!r}, normalizer {normalizer.name!r}, position {position.name!r}"
        raise InvalidInput(f"{names} do not go together: {reason[0]}.", hint=reason[1])


def illegal_because(
    score: Score, mask: Mask, normalizer: Normalizer, position: Position, *, biased: bool = False
) -> tuple[str, str] | None:
    """(reason, hint), or None if the combination is legal."""
    biased = biased or position.biases_scores
    if isinstance(normalizer, Linformer):
        if not mask.is_full:
            return "every mixture of a Linformer holds every token, so no key can be hidden from a query", (
                "use a full mask, or a normalizer such as 'performer' that takes causal masks"
            )
        if biased:
            return "a mixture of keys has no position, so no bias of a pair can be added", "use absolute positions or 'rotary'"
    if isinstance(normalizer, FeatureMap):
        if not score.inner_product:
            return "a feature map replaces an inner product, and this score is none", "use the score 'scaled' or 'dot'"
        if isinstance(score, Distance) and not normalizer.is_exponential:
            return "elu + 1 features replace an inner product, not a distance", "use the score 'scaled' or 'dot'"
        if biased:
            return "a feature map never forms the scores, so nothing can be added to them", "use absolute positions or 'rotary'"
    if isinstance(position, Rotary) and not score.inner_product:
        return "turned queries and keys are relative only inside an inner product", "use absolute positions or 'alibi'"
    if isinstance(position, Relative) and not score.linear_in_query:
        return "Transformer-XL expands (q + u) . k + (q + v) . r, so the score must be linear in the query", (
            "use the score 'scaled', 'dot' or 'multiplicative'"
        )
    return None
