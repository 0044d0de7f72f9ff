"""A sixth list of errors written by hand, in parts that earlier lists hardly touch: a claim noticed each."""

from __future__ import annotations

from error import Error
from more_errors import by_claim

TERM, CONSTANT, COUNT, ROLE = "a term dropped", "a constant", "off by one", "roles or signs exchanged"

TRIED: tuple[Error, ...] = (
    by_claim(
        "construct.interpolants._wavelets",
        "hat_coefficients",
        "(ends[:-1] + ends[1:]) / 2",
        "ends[:-1]",
        "boelcskei-2019-wavelets",
        TERM,
    ),
    by_claim(
        "construct.perceptrons._barron", "barron", "2 * radius * total / n_units", "radius * total / n_units", "barron-rate", TERM
    ),
    by_claim(
        "construct.perceptrons._fourier",
        "fourier_features",
        "np.sqrt(2 / n_features)",
        "np.sqrt(1 / n_features)",
        "random-fourier-features",
        CONSTANT,
    ),
    by_claim(
        "construct.perceptrons._fourier",
        "product_network",
        "np.concatenate([coefficients, coefficients]) / 2",
        "np.concatenate([coefficients, coefficients])",
        "stone-weierstrass-closure",
        TERM,
    ),
    by_claim(
        "construct.perceptrons._integral",
        "_thresholds",
        "np.sign(values[cell]) * variation / n",
        "np.sign(values[cell]) / n",
        "infinite-width",
        ROLE,
    ),
    by_claim(
        "construct.perceptrons._multiplication",
        "_power",
        "2 * m * e + e * e + g.square_error(m + e)",
        "m * e + g.square_error(m + e)",
        "rolnick-tegmark-2018",
        ROLE,
    ),
    by_claim(
        "construct.perceptrons._multiplication",
        "_times",
        "m * f + n * e + e * f + g.error(size)",
        "m * f + g.error(size)",
        "rolnick-tegmark-2018",
        ROLE,
    ),
    by_claim(
        "construct.perceptrons._multiplication",
        "shallow_monomial",
        "(2 * scale) ** d",
        "scale ** d",
        "rolnick-tegmark-2018",
        CONSTANT,
    ),
    by_claim(
        "construct.polynomials._chebyshev",
        "interpolation_coefficients",
        "np.arange(n + 1) + 0.5",
        "np.arange(n + 1) + 1.0",
        "chebyshev-interpolation",
        CONSTANT,
    ),
    by_claim(
        "construct.representations._few_maxima", "_without", "level <= 0", "level >= 0", "piecewise-linear-functions", COUNT
    ),
    by_claim(
        "data._manifolds",
        "hidden_manifold",
        "latent @ features / np.sqrt(dimension)",
        "latent @ features / dimension",
        "goldt-2020-covariance",
        ROLE,
    ),
    by_claim("data._manifolds", "sphere", "dimension + 1", "dimension", "hein-audibert-2005", TERM),
    by_claim(
        "dimension._hein_audibert",
        "HeinAudibert._fit",
        "n / sizes * np.log(sizes) / np.log(n)",
        "n / sizes",
        "hein-audibert-2005",
        TERM,
    ),
    by_claim(
        "learn._finite_sums",
        "saga",
        "mean + (new - old) / problem.n_summands",
        "mean + (new - old)",
        "variance-reduction-sharpness",
        TERM,
    ),
    by_claim(
        "learn._optimizers",
        "SGD.update",
        "g + self.momentum * velocity",
        "velocity + self.momentum * g",
        "nesterov-2004-rate",
        ROLE,
    ),
    by_claim(
        "measure._detection",
        "average_precision",
        "hits * (points - 1) >= level * n",
        "hits * (points - 1) > level * n",
        "ilsvrc-metrics",
        COUNT,
    ),
    by_claim("measure._detection", "detection_precision", "most >= overlap", "most > overlap", "ilsvrc-metrics", COUNT),
    by_claim("measure._detection", "top_k_error", "not_lower > k", "not_lower >= k", "ilsvrc-metrics", COUNT),
    by_claim("measure._dissection", "Dissection.detectors", "max(most, resolution)", "most", "bau-2020-units", TERM),
    by_claim(
        "measure._dissection", "dissect", "reached / (n_permutations + 1)", "reached / n_permutations", "bau-2020-units", ROLE
    ),
    by_claim(
        "measure._ensemble_forward",
        "Forward.correlations",
        "self.products[:, :, -1, -1]",
        "self.products[:, :, 0, 0]",
        "relu-edge-correlation",
        ROLE,
    ),
    by_claim(
        "measure._ensemble_forward",
        "_one_chunk",
        "z @ z.transpose(0, 2, 1) / width",
        "z @ z.transpose(0, 2, 1) / (width - 1)",
        "lee-2018-gaussian-process",
        ROLE,
    ),
    by_claim("measure._ensemble_jacobians", "_jacobians", "inner + ensemble.skip * K", "inner", "shattered-gradients", TERM),
    by_claim("measure._ensemble_signal", "_one_chunk", "ensemble.skip * h", "ensemble.skip * z", "yang-2017-residual", ROLE),
    by_claim(
        "measure._jacobian", "Jacobian.norm", "self.singular_values[0]", "self.singular_values[-1]", "kim-2021-lipschitz", ROLE
    ),
    by_claim("measure._tropical", "tropical_form", "upper_terms([*g, *h])", "upper_terms(g)", "tropical-bernstein", ROLE),
    by_claim("measure._tropical", "upper_terms", "min(best.values()) - 1", "max(best.values()) + 1", "zhang-2018-newton", ROLE),
    by_claim("measure.cells._critical", "critical_points", "rank[1:]", "rank[:-1]", "grigsby-2022-local-complexity", ROLE),
    by_claim("models.deep._deep", "HighwayLayer.forward", "(1 - gate) * x", "x", "highway-gates", TERM),
    by_claim("models.efficient._permutation", "TwoStreamBlock.forward", "strict", "weak", "yang-2019-orders", ROLE),
    by_claim("models.equivariant._mesh", "mesh_frames", "angle - back - pi", "angle - back", "intrinsic-convolution", TERM),
    by_claim("models.generative._vae", "VAE.bound", "0.5 * log_variance", "log_variance", "lucas-2019-linear-vae", TERM),
    by_claim(
        "models.generative._vae",
        "VAE.log_likelihood",
        "self.log_noise + log(2 * pi)",
        "log(2 * pi)",
        "lucas-2019-linear-vae",
        TERM,
    ),
    by_claim("models.generative._vae", "gaussian_divergence", "mean ** 2", "mean", "lucas-2019-linear-vae", TERM),
    by_claim(
        "models.graphs._layers",
        "GraphAttention._sparse",
        "left[g.target] + right[g.source]",
        "left[g.source] + right[g.target]",
        "graph-equivariance",
        ROLE,
    ),
    by_claim("models.graphs._layers", "MessagePassing.forward", "x[edges.target]", "x[edges.source]", "graph-equivariance", ROLE),
    by_claim(
        "models.vision._vit", "VisionTransformer.forward", "tokens[:, 0]", "tokens[:, -1]", "dosovitskiy-2021-locality", ROLE
    ),
    by_claim(
        "theory._meanfield_activations", "Activation._pair", "second - along ** 2", "second", "schoenholz-2017-depth-scale", TERM
    ),
    by_claim("theory._meanfield_edge", "edge_of_chaos", "bias_std ** 2", "bias_std", "edge-of-chaos-erf", TERM),
    by_claim(
        "theory._meanfield_edge",
        "weight_std_of",
        "2 * n_in / (n_in + n_out)",
        "2 * n_out / (n_in + n_out)",
        "glorot-2010-variance",
        ROLE,
    ),
    by_claim(
        "theory._meanfield_field",
        "MeanField.curvatures",
        "values[-1] / self.chi_1",
        "values[-1] / self.chi_1 ** 2",
        "poole-2016-curvature",
        ROLE,
    ),
    by_claim(
        "theory._meanfield_field",
        "MeanField.first_length",
        "self.gain * mean_square",
        "self.weight_std * mean_square",
        "he-2015-variance",
        ROLE,
    ),
    by_claim(
        "theory._meanfield_jacobian",
        "JacobianSpectrum.mass_at_top",
        "self.depth * (1 - float(probabilities[values == values.max()].sum()))",
        "1 - float(probabilities[values == values.max()].sum())",
        "pennington-2018-spectrum",
        COUNT,
    ),
    by_claim(
        "theory.approximation",
        "barron_linear_lower_bound",
        "8 * pi * exp(pi - 1) * d",
        "8 * pi * exp(pi) * d",
        "barron-linear-lower-bound",
        ROLE,
    ),
    by_claim(
        "theory.approximation",
        "lipschitz_width",
        "N ** dimension <= n_parameters",
        "N ** dimension < n_parameters",
        "curse-of-dimensionality",
        COUNT,
    ),
    by_claim("theory.attention", "visible_pairs", "L * (2 * w + 1) - w * (w + 1)", "L * (2 * w + 1)", "visible-pairs", TERM),
    by_claim(
        "theory.generative",
        "mixture_score",
        "-(weights * z).sum(axis=-1) / weights.sum(axis=-1) / std",
        "-(weights * z).sum(axis=-1) / weights.sum(axis=-1)",
        "alain-2014-score",
        TERM,
    ),
    by_claim(
        "theory.kernels", "_recursion", "gain * (a @ b.T) / d + offset", "gain * (a @ b.T) / d", "lee-2018-gaussian-process", TERM
    ),
    by_claim("theory.regions._wide", "_mean_norm", "-(d - 1) / 2", "-d / 2", "hanin-rolnick-2019-distance", ROLE),
    by_claim("theory.scattering", "translation_constant", "sqrt(order + 1)", "sqrt(order)", "mallat-2012-translation", ROLE),
)
