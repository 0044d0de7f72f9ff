"""Watch the geometry while a model trains.

Probes look at the model in eval mode as an exact network: regions in a window, distances from data to folds, lengths of paths.
They run in our loop, in yours, and as callbacks of Lightning and of Hugging Face's Trainer; what they cost is counted.
"""

import matplotlib.pyplot as plt
import torch
from torch import nn

import plica
from plica.learn import FoldDistance, Regions, Watch, fit, mlp

data = plica.data.load("moons", n=150)
window = plica.Box([-2, -1.5], [3, 2])

# In our loop: probes with how often they look.

done = fit(mlp([2, 12, 12, 1], seed=0), data, epochs=12, rate=0.01, probes=[Regions(domain=window, every=4)])
print("regions:", [n for n in done.history["regions_n_regions"] if n is not None])

# In a loop of your own: a `Watch` after every step. `every="5 %"` would look as often as that share of the time allows.

torch.manual_seed(0)
x, y = torch.as_tensor(data.x, dtype=torch.float32), torch.as_tensor(data.y, dtype=torch.float32)
model = nn.Sequential(nn.Linear(2, 12), nn.ReLU(), nn.Linear(12, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
probes = [Regions(domain=window, every=20, unit="step"), FoldDistance(points=data.x[:10], every=20, unit="step")]
watch = Watch(probes)
for _ in range(60):
    optimizer.zero_grad()
    nn.functional.binary_cross_entropy_with_logits(model(x)[:, 0], y).backward()
    optimizer.step()
    watch(model, x)
print("at steps", watch.history["step"], "regions", watch.history["regions_n_regions"])

# One look without any loop.

print(Regions(domain=window).look(model, x))

figure, ax = plt.subplots(figsize=(4.6, 3.8), layout="constrained")
plica.decompose(plica.from_torch(model.double().eval()), window).plot(ax=ax, boundary=True)
ax.scatter(*data.x.T, c=data.y, s=8, cmap="cividis", edgecolors="white", linewidths=0.3)
ax.set_title("after 60 steps of a plain loop")
alt = "The cells and the decision boundary of a small network after sixty steps, with the two moons it was trained on."
