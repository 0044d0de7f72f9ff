"""What networks see: filters, the input that an output wants, and a plane of drawings.

The first filters of a small convolutional network beside the Gabor functions that fit them best, with what these leave; for each
output of a dense network the image of the unit box that it likes best, proved from above; and the images that a decoder makes of
its two latent variables. Everything is trained here, on 8 x 8 digits.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

import plica
from plica.data import load
from plica.learn import fit, mlp, reconstruction
from plica.measure import fit_gabor
from plica.models import build
from plica.models.generative import Autoencoder, AutoencoderConfig
from plica.robust import maximizing_input

digits = load("digits")
x, y = np.asarray(digits.x, dtype=np.float32), np.asarray(digits.y)
torch.manual_seed(0)
first = nn.Conv2d(1, 6, 5, padding=2)
conv = nn.Sequential(first, nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(96, 10))
fit(conv, (x[:, None], y), epochs=10, batch=64, rate=5e-3, seed=0)
filters = first.weight.detach().double().numpy()[:, 0]
fits = [fit_gabor(f) for f in filters]
for one in fits:
    print(one)

# What each output wants: a lower bound that is attained, an upper bound that is proved.

reader = fit(mlp([64, 10, 10], seed=0), (x.reshape(len(x), -1), y), epochs=10, batch=64, rate=5e-3, seed=0).network
wanted = [maximizing_input(reader, plica.Box([0.0] * 64, [1.0] * 64), output=k, timeout_s=2, tolerance=0.05) for k in range(3)]
for k, found in enumerate(wanted):
    print(f"output {k}: at least {found.value:.4f}, at most {found.upper:.4f}")

model = build(Autoencoder, AutoencoderConfig((64,), n_latent=2, widths=(32, 16)), seed=0)
flat = x.reshape(len(x), -1)
fit(model, (flat, flat), epochs=25, batch=64, rate=5e-3, objective=reconstruction, seed=0)
with torch.no_grad():
    low, high = np.quantile(model.encoder(torch.from_numpy(flat)).numpy(), [0.05, 0.95], axis=0)
    u, v = (np.linspace(low[i], high[i], 8) for i in (0, 1))
    codes = np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2).astype(np.float32)
    plane = model.decoder(torch.from_numpy(codes)).numpy().reshape(8, 8, 8, 8)


def tiles(rows: list[list[np.ndarray]]) -> np.ndarray:
    """Pictures beside each other, each on its own scale."""
    return np.block([[np.pad(p / np.abs(p).max(), 1, constant_values=np.nan) for p in row] for row in rows])


figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
left.imshow(tiles([list(filters), [one.picture for one in fits]]), cmap="RdBu", vmin=-1, vmax=1)
left.set(title="filters, and Gabor functions that fit them", yticks=[])
left.set_xticks([7 * k + 3 for k in range(6)], [f"{one.residual:.0%}" for one in fits])
middle.imshow(tiles([[np.asarray(found.point).reshape(8, 8) for found in wanted]]), cmap="cividis")
middle.set(title="what outputs 0 to 2 want", xticks=[], yticks=[])
right.imshow(np.block([list(row) for row in plane]), cmap="cividis")
right.set(title="drawings of two latent variables", xticks=[], yticks=[])
alt = "Six filters above their Gabor functions, the images that three outputs like best, and a plane of drawings of digits."
