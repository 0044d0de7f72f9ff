"""A third list of errors written by hand, in what the first two left out: constants by a fifth, terms, exponents, roles."""

from __future__ import annotations

from error import Error
from more_errors import by_claim, by_tests

CONSTANT, EXPONENT, CHANGED = "a constant", "an exponent", "a term, a role or an index"

FURTHER: tuple[Error, ...] = (
    by_claim(
        "theory.regions._random", "hanin_rolnick_2019_regions_upper_bound", "32.0", "38.4", "hanin-rolnick-2019-plane", CONSTANT
    ),
    by_claim(
        "theory.regions._random",
        "hanin_rolnick_2019_regions_upper_bound",
        "factorial(d)",
        "1",
        "hanin-rolnick-2019-plane",
        CHANGED,
    ),
    by_claim(
        "theory.regions._random",
        "hanin_rolnick_2019_breakpoints_upper_bound",
        "c_grad * c_bias",
        "1.2 * c_grad * c_bias",
        "hanin-rolnick-2019-integral",
        CONSTANT,
    ),
    by_claim(
        "theory.regions._wide",
        "wide_relu_breakpoints",
        "layer * bias_std ** 2",
        "bias_std ** 2",
        "hanin-rolnick-2019-line",
        CHANGED,
    ),
    by_claim(
        "theory.regions._wide", "wide_relu_fold_distance", "2 * pi * q", "2.4 * pi * q", "hanin-rolnick-2019-distance", CONSTANT
    ),
    by_claim("theory.regions._wide", "_mean_norm", "d - 1", "d", "hanin-rolnick-2019-distance", CHANGED),
    by_claim(
        "theory.regions._upper",
        "telgarsky_2015_upper_bound_by_size",
        "2 * n_neurons",
        "2 * n_neurons + 1",
        "telgarsky-2015-pieces",
        CHANGED,
    ),
    by_claim(
        "theory.regions._upper", "montufar_2017_upper_bound", "min(d, n)", "min(n_inputs, n)", "montufar-2017-upper", CHANGED
    ),
    by_claim(
        "theory.regions._upper", "serra_2018_upper_bound", "min(n - d, last)", "min(n - d, last) - 1", "serra-2018-upper", CHANGED
    ),
    by_claim("theory.regions._histograms", "antipodal_histogram", "2 * k > n", "2 * k >= n", "hinz-van-de-geer-2019", CHANGED),
    by_claim(
        "theory.regions._lower",
        "montufar_2014_maxout_lower_bound",
        "depth - 1 + n_inputs",
        "depth + n_inputs",
        "montufar-2014-maxout",
        CHANGED,
    ),
    by_claim("theory.approximation", "barron_linear_lower_bound", "exp(pi - 1)", "exp(pi)", "barron-linear-lower-bound", CHANGED),
    by_claim(
        "theory.approximation",
        "barron_constant_gaussian",
        "sqrt(2) / sigma",
        "1.2 * sqrt(2) / sigma",
        "barron-gaussian",
        CONSTANT,
    ),
    by_claim("theory.approximation", "bartlett_2019_vc_upper_bound", "log2(r)", "log2(2 * r)", "bartlett-2019-vc", CHANGED),
    by_claim(
        "theory.approximation",
        "deep_monomial_units",
        "7 * (r - 1).bit_length()",
        "8 * (r - 1).bit_length()",
        "rolnick-tegmark-2018",
        CHANGED,
    ),
    by_claim("theory.approximation", "layered_product_units", "2 ** rest if rest else 0", "0", "rolnick-tegmark-lower", CHANGED),
    by_claim(
        "theory.approximation",
        "lipschitz_packing_bits",
        "ceil(1 / (2 * error)) - 1",
        "ceil(1 / (2 * error))",
        "boelcskei-2019-lower-bound",
        CHANGED,
    ),
    by_claim("theory.lengths", "relu_area_factor", "n_out / 2 - 1", "n_out / 2", "generated-area", CHANGED),
    by_claim("theory.lengths", "raghu_2017_relu_base", "n + 1", "n + 2", "raghu-2017-relu-base", CHANGED),
    by_claim("theory.lengths", "symmetric_lower_bound", "2 * sqrt(2)", "2.4 * sqrt(2)", "price-2019-symmetric", CONSTANT),
    by_claim("theory.lengths", "relu_length_factor_upper_bound", "2 * n_in", "2.4 * n_in", "price-2019-symmetric", CONSTANT),
    by_claim(
        "theory.hidden_manifold", "GaussianEquivalent.noise", "self.b ** 2", "self.b", "goldt-2020-learning-curves", EXPONENT
    ),
    by_claim(
        "theory.hidden_manifold",
        "gaussian_equivalent",
        "weights @ values ** 2",
        "weights @ np.abs(values)",
        "goldt-2020-covariance",
        CHANGED,
    ),
    by_claim(
        "theory.kernels",
        "_recursion",
        "(gain * phi.energy(left) + offset, gain * phi.energy(right) + offset)",
        "(gain * phi.energy(left), gain * phi.energy(right))",
        "lee-2018-gaussian-process",
        CHANGED,
    ),
    by_claim(
        "theory._meanfield_field", "MeanField.curvatures", "3 * self.chi_2", "3.6 * self.chi_2", "poole-2016-curvature", CONSTANT
    ),
    by_claim(
        "theory._meanfield_field",
        "MeanField.correlation_depth_scale",
        "self.gain * float(self.phi.slope_covariance(q, q, q * c))",
        "1.2 * self.gain * float(self.phi.slope_covariance(q, q, q * c))",
        "schoenholz-2017-depth-scale",
        CONSTANT,
    ),
    by_claim("theory.attention", "softmax_stable_rank", "e", "2.4", "nait-2025-spectral-gap", CONSTANT),
    by_claim("theory.attention", "visible_pairs", "w * (w + 1) // 2", "w * (w - 1) // 2", "visible-pairs", CHANGED),
    by_claim(
        "theory.generative",
        "ppca_log_likelihood",
        "(d - n_latent) * log(noise)",
        "d * log(noise)",
        "lucas-2019-linear-vae",
        CHANGED,
    ),
    by_claim(
        "theory.generative", "jensen_shannon", "(part(p) + part(q)) / 2", "part(p) + part(q)", "goodfellow-2014-game", CHANGED
    ),
    by_claim(
        "theory.scattering", "translation_constant", "sqrt(order + 1)", "sqrt(order + 2)", "mallat-2012-translation", CHANGED
    ),
    by_claim("theory.landscape", "hessian_index", "2 * energy", "energy", "pennington-2017-index", CHANGED),
    by_tests("theory.sparsity", "largest_compression", "len(sizes)", "len(sizes) + 1", "theory/test_sparsity", CHANGED),
    by_tests(
        "theory.optimization._adaptive",
        "adagrad_norm_noisy_bound",
        "20 * n_steps",
        "24 * n_steps",
        "theory/test_training_rates",
        CONSTANT,
    ),
    by_tests(
        "theory.optimization._adaptive",
        "adagrad_norm_noisy_bound",
        "8 * q * noise",
        "0 * q * noise",
        "theory/test_training_rates",
        CHANGED,
    ),
    by_claim("theory.optimization._adaptive", "adagrad_regret_bound", "2 * rate", "rate", "duchi-2011-regret", CHANGED),
    by_tests(
        "theory.optimization._sgd",
        "gower_2019_bound",
        "2 * rate * noise",
        "2.4 * rate * noise",
        "theory/test_training_rates",
        CONSTANT,
    ),
    by_claim(
        "theory.optimization._sgd",
        "least_squares_floor",
        "label_variance * share / (1 - share) / 2",
        "label_variance * share / 2",
        "gaussian-least-squares-floor",
        CHANGED,
    ),
    by_claim(
        "theory.optimization._momentum",
        "nesterov_parameters",
        "(root - 1) / (root + 1)",
        "(root - 1) / root",
        "nesterov-2004-rate",
        CHANGED,
    ),
    by_claim(
        "theory.optimization._momentum", "nesterov_lower_bound", "n_steps", "n_steps + 1", "nesterov-2004-lower-bound", CHANGED
    ),
    by_claim(
        "construct.perceptrons._barron",
        "barron",
        "2 * radius * total / n_units",
        "2.4 * radius * total / n_units",
        "barron-rate",
        CONSTANT,
    ),
    by_claim(
        "construct.perceptrons._kernels",
        "kernel_regression",
        "ridge * np.eye(len(points))",
        "1.2 * ridge * np.eye(len(points))",
        "polynomial-kernel",
        CONSTANT,
    ),
    by_claim(
        "construct.perceptrons._kernels",
        "polynomial_features",
        "np.sqrt(multiplicity)",
        "multiplicity",
        "polynomial-kernel",
        CHANGED,
    ),
    by_claim(
        "construct.perceptrons._fourier",
        "fourier_features",
        "2 / n_features",
        "2.4 / n_features",
        "random-fourier-features",
        CONSTANT,
    ),
    by_claim("construct.representations._parity", "parity", "2 * (-1) ** k", "(-1) ** k", "hastad-1986-parity", CHANGED),
    by_claim("construct.representations._parity", "smallest_dnf", "len(chosen) + size", "size", "hastad-1986-parity", CHANGED),
    by_claim("construct.representations._folding", "general_position", "s ** (d - k)", "s ** k", "montufar-2014", CHANGED),
    by_claim("construct.representations._bits", "stored_surface", "size * row", "K * row", "yarotsky-2018-cube", CHANGED),
    by_claim("sparse._scores", "snip_scores", "w.detach() * gradients[name]", "gradients[name]", "sparsity-methods", CHANGED),
    by_tests("sparse._scores", "grasp_scores", "w.detach() * hg", "-w.detach() * hg", "sparse/test_scores", CHANGED),
    by_tests("sparse._dynamic", "smallest", "w.abs()", "-w.abs()", "sparse/test_training", CHANGED),
    by_claim("sparse._choose", "count_kept", "density * n", "1.2 * density * n", "sparsity-methods", CONSTANT),
    by_tests("landscape._matching", "_by_weights", "np.outer(A[i][1], B[i][1])", "0", "landscape/test_directions", CHANGED),
    by_claim("landscape._directions", "normalized", "(len(p), -1)", "(1, -1)", "li-2018-filter-normalization", CHANGED),
    by_claim("robust.bounds._relaxation", "lines_around", "high > -low", "high < -low", "certificates-and-attacks", CHANGED),
    by_claim("dimension._mle", "MLE._combine", "1.0 / means", "1.2 / means", "facco-2017-pareto", CONSTANT),
    by_claim(
        "models.graphs._graph",
        "Graph.normalized",
        "weight * factor[g.source] * factor[g.target]",
        "weight * factor[g.source]",
        "kipf-2017-normalization",
        CHANGED,
    ),
    by_claim("models.attention._positions", "Rotary.forward", "a * cos - b * sin", "a * cos", "rotary-positions", CHANGED),
    by_claim("learn._optimizers", "SGD.update", "g + self.momentum * velocity", "g + velocity", "nesterov-2004-rate", CHANGED),
    by_claim("learn._optimizers", "AdaGradNorm.start", "self.b0 ** 2", "self.b0", "ward-2019-adagrad-norm", CHANGED),
)
