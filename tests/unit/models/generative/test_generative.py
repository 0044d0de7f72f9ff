"""Autoencoders, variational ones, adversarial pairs: against closed forms, and as exact networks."""

from __future__ import annotations

from math import log, pi
from typing import Any

import numpy as np
import pytest
import torch

import plica
from plica.errors import InvalidInput
from plica.learn import adversarial, denoising, fit, negative_bound, reconstruction
from plica.measure import generated_manifold
from plica.models import build
from plica.models.generative import GAN, VAE, Autoencoder, AutoencoderConfig, GANConfig, VAEConfig, gaussian_divergence


@pytest.mark.parametrize("style", ["transposed", "upsampled", "dense"])
def test_decoders_are_exact_networks(style: str) -> None:
    model = build(Autoencoder, AutoencoderConfig((1, 8, 8), n_latent=2, widths=(3, 4), style=style), seed=0).double().eval()
    net = plica.from_torch(model.decoder, example_input=torch.zeros(1, 2, dtype=torch.float64))
    z = np.random.default_rng(0).normal(size=(7, 2))
    with torch.no_grad():
        expected = model.decoder(torch.from_numpy(z)).flatten(1).numpy()
    assert np.allclose(net(z).reshape(7, -1), expected, atol=1e-12)
    cx = plica.decompose(net, plica.Box([-1, -1], [1, 1]))
    surface = generated_manifold(cx)
    assert cx.n_cells > 4 and set(surface.ranks) <= {0, 1, 2}
    assert style == "dense" or ((surface.ranks == 2).all() and 0 < surface.total_bend < np.inf)


def test_divergence_is_that_of_gaussians() -> None:
    mean, log_variance = torch.tensor([0.3, -1.2]).double(), torch.tensor([-0.7, 0.4]).double()
    x = np.linspace(-12, 12, 200_001)
    total = 0.0
    for m, v in zip(mean.tolist(), log_variance.exp().tolist(), strict=True):
        q = np.exp(-0.5 * (x - m) ** 2 / v) / np.sqrt(2 * pi * v)
        total += float((q * (np.log(np.maximum(q, 1e-300)) + 0.5 * x**2 + 0.5 * log(2 * pi))).sum() * (x[1] - x[0]))
    assert float(gaussian_divergence(mean, log_variance)) == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("likelihood", ["bernoulli", "gaussian"])
def test_likelihoods_are_those_of_their_distributions(likelihood: str) -> None:
    model = build(VAE, VAEConfig((5,), n_latent=2, widths=(4,), likelihood=likelihood), seed=1).double()
    with torch.no_grad():
        model.log_noise.fill_(0.3)
    x, z = (torch.rand(3, 5) > 0.5).double(), torch.randn(3, 2).double()
    out = model.decoder(z).detach()
    if likelihood == "bernoulli":
        law: Any = torch.distributions.Bernoulli(logits=out)
    else:
        law = torch.distributions.Normal(out, torch.tensor(0.15).double().exp())  # half of the log variance
    assert torch.allclose(model.log_likelihood(x, z), law.log_prob(x).sum(dim=1))


def test_bounds_are_below_the_likelihood_and_more_draws_are_tighter() -> None:
    """One latent variable and three pixels: the likelihood is an integral over a line."""
    model = build(VAE, VAEConfig((3,), n_latent=1, widths=(6,)), seed=3).double()
    x = torch.tensor([[1.0, 0.0, 1.0]]).double()
    z = torch.linspace(-8, 8, 16_001).double()[:, None]
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        joint = model.log_likelihood(x.expand(len(z), -1), z) - 0.5 * z[:, 0] ** 2 - 0.5 * log(2 * pi)
        truth = float(torch.logsumexp(joint, dim=0) + log(16 / 16_000))
        many = x.expand(4000, -1)
        one, five, hundred = (
            float(b.mean()) for b in (model.bound(many), model.importance_bound(many, 5), model.importance_bound(many[:500], 100))
        )
    assert one < five < truth + 5e-3 and hundred == pytest.approx(truth, abs=1e-2)


def test_training_raises_the_bound() -> None:
    rng = np.random.default_rng(0)
    x = (rng.random((400, 1)) < 0.5).astype(np.float32).repeat(8, axis=1)  # all pixels on, or all off: log 2 nats
    model = build(VAE, VAEConfig((8,), n_latent=1, widths=(16,)), seed=0)
    fit(model, (x, x), epochs=120, batch=100, rate=0.02, objective=negative_bound, seed=0)
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        bound = float(model.bound(torch.from_numpy(x)).mean())
    assert -1.3 < bound < -log(2) + 0.05


def test_the_game_moves_each_player_by_its_own_loss() -> None:
    model = build(GAN, GANConfig((2,), n_latent=2, widths=(5,), style="dense", batch_norm=False), seed=0).double()
    x = torch.randn(16, 2).double()
    grads = {}
    for game in ("non-saturating", "minimax"):
        model.zero_grad()
        torch.manual_seed(1)
        adversarial(game)(model, (x,)).backward()  # type: ignore[no-untyped-call]
        grads[game] = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    torch.manual_seed(1)
    made = model.draw(16)
    D = model.discriminator
    of_d = torch.autograd.grad(
        -(torch.log(torch.sigmoid(D(x))).mean() + torch.log(1 - torch.sigmoid(D(made.detach()))).mean()), list(D.parameters())
    )
    losses = {
        "non-saturating": -torch.log(torch.sigmoid(D(made))).mean(),
        "minimax": torch.log(1 - torch.sigmoid(D(made))).mean(),
    }
    for game, loss in losses.items():
        of_g = torch.autograd.grad(loss, list(model.generator.parameters()), retain_graph=True)
        for name, expected in [*zip((n for n, _ in D.named_parameters()), of_d, strict=True)]:
            assert torch.allclose(grads[game][f"discriminator.{name}"], expected)
        for name, expected in zip((n for n, _ in model.generator.named_parameters()), of_g, strict=True):
            assert torch.allclose(grads[game][f"generator.{name}"], expected)


def test_a_generator_with_normalization_is_an_exact_network() -> None:
    model = build(GAN, GANConfig((1, 8, 8), n_latent=2, widths=(3, 4)), seed=0)
    model.train()
    model.draw(32)  # running means and variances
    model = model.double().eval()
    net = plica.from_torch(model.generator, example_input=torch.zeros(1, 2, dtype=torch.float64))
    z = np.random.default_rng(1).normal(size=(5, 2))
    with torch.no_grad():
        assert np.allclose(net(z), model(torch.from_numpy(z)).numpy(), atol=1e-10)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(InvalidInput, match="convolutions"):
        VAEConfig((1, 30, 30), widths=(4, 8), style="transposed")
    with pytest.raises(InvalidInput, match="likelihood"):
        VAEConfig((6,), likelihood="poisson")
    with pytest.raises(InvalidInput, match="noise_std"):
        denoising(0.0)
    with pytest.raises(InvalidInput, match="game"):
        adversarial("chess")


def test_reconstruction_is_a_mean_over_points_of_a_sum_over_pixels() -> None:
    model = torch.nn.Identity()
    assert float(reconstruction(model, (torch.ones(4, 3),))) == 0.0
    assert float(reconstruction(torch.nn.ReLU(), (torch.tensor([[-1.0, 2.0], [-3.0, -1.0]]),))) == pytest.approx((1 + 10) / 2)


def test_denoising_is_the_mean_over_images_of_the_squared_distance_to_the_clean_ones() -> None:
    """Of a model that answers zero, whatever it sees: the mean squared norm of the images."""
    x = torch.arange(24.0).view(4, 1, 2, 3)
    assert float(denoising(0.5)(lambda seen: 0 * seen, (x,))) == float((x**2).sum()) / 4
    torch.manual_seed(0)
    noise = float(denoising(0.5)(lambda seen: seen, (torch.zeros(4000, 1, 2, 3),)))
    assert noise == pytest.approx(6 * 0.5**2, rel=0.05)


@pytest.mark.parametrize("likelihood", ["bernoulli", "gaussian"])
def test_what_is_generated_is_the_mean_of_the_likelihood(likelihood: str) -> None:
    """Of logits of pixels it is a probability, of means they themselves."""
    model = build(VAE, VAEConfig((5,), n_latent=2, widths=(4,), likelihood=likelihood), seed=0)
    z = torch.randn(9, 2, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        out, decoded = model.generate(z), model.decoder(z)
    expected = 1 / (1 + torch.exp(-decoded)) if likelihood == "bernoulli" else decoded
    assert torch.allclose(out, expected, atol=1e-6) and not torch.allclose(decoded, decoded.sigmoid(), atol=1e-2)
