"""The surface that a generator makes of two latent variables.

A decoder with rectifiers maps the plane of its latent variables to flat pieces in the space of images. Each has an exact area,
so we know where the decoder stretches, how to draw images evenly from its surface, and how far two images are apart on it.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

import plica
from plica.data import load
from plica.learn import fit, reconstruction
from plica.measure import generated_manifold, geodesic
from plica.models import build
from plica.models.generative import Autoencoder, AutoencoderConfig
from plica.report import latent_figure

digits = load("digits")
x = np.asarray(digits.flat, dtype=np.float32)
model = build(Autoencoder, AutoencoderConfig((64,), n_latent=2, widths=(24, 12)), seed=0)
fit(model, (x, x), epochs=20, batch=64, rate=5e-3, objective=reconstruction, seed=0)
with torch.no_grad():
    codes = model.encoder(torch.from_numpy(x)).numpy()
low, high = np.quantile(codes, [0.01, 0.99], axis=0).round(2)

decoder = plica.from_torch(model.decoder.eval(), example_input=torch.zeros(1, 2))
cx = plica.decompose(decoder, plica.Box(low, high))
surface = generated_manifold(cx)
print(surface)
print(f"areas are stretched by {surface.distortions.min():.3g} to {surface.distortions.max():.3g}")

# Between two digits the straight way in the latent plane is not the shortest one on the surface.

a, b = np.clip(codes[0], low, high), np.clip(codes[9], low, high)
way = geodesic(surface, a, b)
print(f"chord {way.chord:.3f}, on the surface {way.length:.3f}, straight in the plane {way.straight_length:.3f}")
even = surface.sample(300, seed=0)

# On the page, pointing at the plane shows the image made there: it is the mixture of the images at the corners of a cell that the
# point is of these corners, because the decoder is affine between them.

caption = "The latent plane of the decoder. Orange cells become larger than the mean on the surface, blue ones smaller."
interactive = latent_figure(surface, (8, 8), points=codes, labels=digits.y, shades=(0.0, 1.0), caption=caption)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
cx.plot(ax=left)
left.plot(*way.points.T, color="#D55E00", label="shortest on the surface")
left.plot(*np.stack([a, b]).T, "--", color="#1B1B1B", label="straight")
left.plot(*even.T, ".", color="#0072B2", markersize=2, label="even on the surface")
left.legend(fontsize=7)
steps = way.points[np.linspace(0, len(way.points) - 1, 8).round().astype(int)]
right.imshow(np.hstack(list(decoder(steps).reshape(8, 8, 8))), cmap="cividis")
right.set(title="images on the shortest way", xticks=[], yticks=[])
alt = "The cells of a decoder's latent plane with a shortest path across them, points even on the surface, and images on the way."
