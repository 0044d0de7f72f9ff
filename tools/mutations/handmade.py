"""Errors that people make, written by hand: the kinds that once went unnoticed. Each names claims that must notice it."""

from __future__ import annotations

from dataclasses import dataclass

from mutants import Mutant, locate


@dataclass(frozen=True)
class Error:
    """In a function of ``plica.<module>``, ``old`` becomes ``new``; ``claims`` must notice."""

    module: str
    function: str
    old: str
    new: str
    claims: tuple[str, ...]
    kind: str

    def mutant(self) -> Mutant:
        """The same as a change of an expression, found by its text in the function."""
        return locate(f"plica.{self.module}", self.function, self.old, self.new)


ERRORS: tuple[Error, ...] = (
    Error(
        "theory.regions._arrangements",
        "zaslavsky",
        "binomials(n, d)",
        "binomials(n, d - 1)",
        ("zaslavsky-1975",),
        "the last term dropped",
    ),
    Error(
        "theory.regions._arrangements",
        "zaslavsky_central",
        "2 * sum(binomials(n - 1, d - 1))",
        "sum(binomials(n - 1, d - 1))",
        ("zaslavsky-central",),
        "a factor dropped",
    ),
    Error(
        "theory.regions._arrangements", "zaslavsky_bounded", "comb(n - 1, d)", "comb(n, d)", ("zaslavsky-bounded",), "off by one"
    ),
    Error(
        "theory.regions._lower",
        "montufar_2014_lower_bound",
        "p**n_inputs",
        "p**(n_inputs - 1)",
        ("montufar-2014",),
        "an exponent",
    ),
    Error(
        "theory.regions._lower",
        "serra_2018_lower_bound",
        "(p + 1) ** n_inputs",
        "p ** n_inputs",
        ("serra-2018-lower",),
        "off by one",
    ),
    Error(
        "theory.regions._lower", "arora_2018_lower_bound", "comb(m - 1, i)", "comb(m, i)", ("arora-2018-zonotope",), "off by one"
    ),
    Error(
        "theory.regions._upper",
        "raghu_2017_upper_bound",
        "zaslavsky(n, n_inputs)",
        "zaslavsky(n, n_inputs - 1)",
        ("raghu-2017-upper",),
        "an index",
    ),
    Error("theory.lengths", "relu_length_factor", "sqrt(n_in)", "sqrt(n_out)", ("relu-length-law",), "roles exchanged"),
    Error("theory.lengths", "price_tanner_2019_lower_bound", "sqrt(2 * pi)", "sqrt(pi)", ("price-tanner-2019",), "a constant"),
    Error(
        "theory.lengths",
        "raghu_2017_hard_tanh_base",
        "s + n * sqrt(s)",
        "n * sqrt(s)",
        ("raghu-2017-hard-tanh",),
        "a term dropped",
    ),
    Error(
        "theory.approximation",
        "threshold_units",
        "lipschitz / error",
        "lipschitz / (2 * error)",
        ("threshold-network",),
        "a constant",
    ),
    Error(
        "theory.approximation",
        "sawtooth_distance_lower_bound",
        "2 ** (depth + 2)",
        "2 ** (depth + 1)",
        ("telgarsky-2016-separation",),
        "a constant",
    ),
    Error("theory.approximation", "shallow_monomial_units", "r + 1", "r + 2", ("rolnick-tegmark-2018",), "off by one"),
    Error(
        "theory.attention", "score_variance", "1 - 2 * exponent", "1 - exponent", ("score-variance-by-exponent",), "an exponent"
    ),
    Error("theory.attention", "softmax_entropy", "deviation**2 / 2", "deviation**2", ("softmax-entropy",), "a constant"),
    Error("theory.attention", "sinusoid_frequencies", "-2 * i / d", "-i / d", ("sinusoid-positions",), "a constant"),
    Error(
        "theory.attention",
        "performer_relative_variance",
        "exp(squared_length) - 1",
        "exp(squared_length)",
        ("choromanski-2021-rate",),
        "a term dropped",
    ),
    Error(
        "theory.attention",
        "softmax_second_singular_value",
        "2 * sqrt(e - 1)",
        "1.2 * sqrt(e - 1)",
        ("nait-2025-spectral-gap",),
        "a constant",
    ),
    Error(
        "theory.attention",
        "unit_row_weight_ratio_upper_bound",
        "2 * d**-exponent",
        "d**-exponent",
        ("unit-rows-attend-uniformly",),
        "a constant",
    ),
    Error(
        "theory.attention",
        "visible_pairs",
        "L * (L + 1) // 2",
        "L * (L - 1) // 2",
        ("visible-pairs",),
        "off by one",
    ),
    Error(
        "theory.parameters", "gpt_parameters", "(vocabulary + context) * d", "vocabulary * d", ("gpt3-modules",), "a term dropped"
    ),
    Error("theory.parameters", "resnet_parameters", "2 * o", "o", ("resnet-sizes",), "a constant"),
    Error(
        "theory.parameters",
        "lenet5_parameters",
        "first + partly + pooling + c5 + f6",
        "first + partly + c5 + f6",
        ("lenet5-sizes",),
        "a term dropped",
    ),
    Error("theory.parameters", "t5_parameters", "2 * d", "d", ("t5-and-switch",), "a constant"),
    Error("models.attention._positions", "sinusoids", "angles.cos()", "angles.sin()", ("sinusoid-positions",), "sine twice"),
    Error(
        "models.attention._positions", "Rotary.forward", "a * cos - b * sin", "a * cos + b * sin", ("rotary-positions",), "a sign"
    ),
    Error("models.attention._masks", "causal", "j <= i", "j <= i + 1", ("causal-mask",), "a token that leaks"),
    Error(
        "models.graphs._graph",
        "normalized_matrix",
        "full * degree.rsqrt()[:, None] * degree.rsqrt()",
        "full * degree.rsqrt()[:, None] ** 2",
        ("kipf-2017-normalization",),
        "normalized on one side only",
    ),
    Error(
        "models.graphs._graph",
        "Graph.normalized",
        "weight * factor[g.source] * factor[g.target]",
        "weight * factor[g.target] ** 2",
        ("kipf-2017-normalization",),
        "normalized on one side only",
    ),
    Error(
        "dimension._twonn",
        "TwoNN._combine",
        "float(logs @ heights) / square",
        "1.08 * float(logs @ heights) / square",
        ("manifold-dimensions",),
        "a bias of 8 percent",
    ),
    Error(
        "construct.polynomials._squaring",
        "squaring",
        "Fraction(1, 4 ** (m + 1))",
        "Fraction(1, 10 * 4 ** (m + 1))",
        ("yarotsky-2017-square",),
        "a certificate ten times too optimistic",
    ),
    Error("learn._optimizers", "Adam.update", "rate / (1 - self.beta1**self.n_steps)", "rate", (), "a correction dropped"),
    Error("learn._optimizers", "SGD.update", "self.momentum * velocity", "velocity", (), "a factor dropped"),
    Error(
        "theory.optimization._variance_reduction",
        "svrg_rate",
        "2 * smoothness * rate / rest",
        "smoothness * rate / rest",
        ("variance-reduction-sharpness",),
        "a factor dropped",
    ),
    Error(
        "theory.optimization._variance_reduction",
        "svrg_rate",
        "1 / (convexity * rate * rest * n_inner)",
        "1 / (2 * convexity * rate * rest * n_inner)",
        ("variance-reduction-sharpness",),
        "a constant",
    ),
    Error(
        "theory.optimization._variance_reduction",
        "saga_rate",
        "4 * n_summands",
        "3 * n_summands",
        ("variance-reduction-sharpness",),
        "a constant",
    ),
    Error(
        "theory.optimization._variance_reduction",
        "saga_rate",
        "3 * smoothness",
        "2 * smoothness",
        ("variance-reduction-sharpness",),
        "a constant",
    ),
    Error(
        "theory.optimization._sgd",
        "least_squares_factor",
        "(rate * values) ** 2 / batch",
        "(rate * values) ** 2",
        ("batch-size-saturation",),
        "the batch dropped",
    ),
    Error(
        "theory.optimization._sgd",
        "quadratic_excess",
        "rate**2 * noise",
        "rate * noise",
        ("ward-2019-stochastic",),
        "an exponent",
    ),
    Error(
        "theory.optimization._sgd",
        "quadratic_floor",
        "2 - rate * values",
        "2 - 8 * rate * values",
        ("logistic-floor",),
        "a constant",
    ),
    Error("theory.regions._arrangements", "thinned_regions", "p**k", "p ** (k + 1)", ("dropout-masks-regions",), "an exponent"),
    Error("learn._optimizers", "AdaGradNorm.update", "rate / b * g", "rate / b**2 * g", ("ward-2019-stochastic",), "an exponent"),
    Error(
        "models.vision._resnet",
        "ResNet.count_multiply_adds",
        "out.shape[-2] * out.shape[-1]",
        "out.shape[-1]",
        ("he-2016-tables",),
        "a side dropped",
    ),
    Error(
        "measure.cells._topology",
        "union_topology",
        "_complement_components(cx, inside) - 1",
        "_complement_components(cx, inside)",
        ("ergen-2024-folded-shells",),
        "off by one",
    ),
    Error("measure.cells._critical", "critical_points", "count - rank", "count", ("banchoff-1967-index",), "a term dropped"),
    Error("measure._tropical", "_combined", "w > 0", "w < 0", ("zhang-2018-newton",), "a sign"),
    Error("exact._hull", "mixed_volume", "(-1) ** (d - k)", "(-1) ** (d - k + 1)", ("tropical-bernstein",), "a sign"),
)
