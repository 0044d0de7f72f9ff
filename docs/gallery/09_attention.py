"""One core of attention, and how spread its weights are.

Score, mask, normalizer and position are independent choices. The entropy of the weights says to how many keys a query listens:
log L - b^2 / 2 for scores of deviation b over L keys.
"""

import math

import matplotlib.pyplot as plt
import torch

from plica.measure import attention_entropy, spectral_gap
from plica.models.attention import Attend, Attention, Cosine, Performer, Scaled, window
from plica.theory.attention import softmax_entropy

torch.manual_seed(0)
x = torch.randn(1, 64, 32)
choices = {
    "scaled dot product": Attention(32, 4),
    "causal, rotary": Attention(32, 4, mask="causal", position="rotary"),
    "cosine in a window": Attention(32, 4, score=Cosine(temperature=10.0), mask=window(4)),
    "Performer": Attention(32, 4, normalizer=Performer(8, 64)),
}
for name, attention in choices.items():
    with torch.no_grad():
        seen = attention.explain(x)
    print(f"{name}: {seen.entropy.mean():.3f} nats of at most {math.log(64):.3f}")

# Queries and keys of variance one in d dimensions have scores of variance d^(1 - 2 alpha): alpha = 1/2 keeps the entropy.

q, k = torch.randn(1, 1, 256, 64), torch.randn(1, 1, 256, 64)
figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
for ax, alpha in zip(axes, (0.0, 0.5, 1.0), strict=True):
    weights = Attend(score=Scaled(alpha)).explain(q, k, k).weights[0, 0]
    deviation = 64 ** (0.5 - alpha)
    law = f"{softmax_entropy(256, deviation):.3f}" if deviation <= 1 else "outside its range"
    gap = spectral_gap(weights).gap
    print(f"alpha = {alpha}: entropy {attention_entropy(weights).mean():.3f}, law {law}, spectral gap {gap:.3f}")
    ax.imshow(weights[:48, :48].sqrt().numpy(), cmap="cividis")
    ax.set_title(rf"$\alpha$ = {alpha}")
alt = "Attention weights with three scalings of the scores: few large weights, a moderate spread, nearly uniform."
