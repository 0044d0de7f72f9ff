"""A fifth list of errors written by hand: those that a reader tried and nobody noticed, each with the tests written for it."""

from __future__ import annotations

from error import Error
from more_errors import by_tests

TERM, CONSTANT, COUNT, ROLE = "a term dropped", "a constant", "off by one", "roles or signs exchanged"

TRUTH = "construct/test_certificates_against_truth"

UNNOTICED: tuple[Error, ...] = (
    by_tests("construct.polynomials._sobolev", "_glued", "2**d * worst", "worst", TRUTH, TERM),
    by_tests(
        "construct.polynomials._bernstein",
        "casteljau",
        "scale * (moved.error - step.error)",
        "moved.error - step.error",
        TRUTH,
        TERM,
    ),
    by_tests("construct.polynomials._bernstein", "bernstein", "gap + value.error + lost", "gap + lost", TRUTH, TERM),
    by_tests(
        "construct.polynomials._polynomial_network", "evaluated", "error + term.error", "max(error, term.error)", TRUTH, TERM
    ),
    by_tests(
        "theory.regions._arrangements",
        "CharacteristicPolynomial.n_bounded",
        "(-1) ** self.rank",
        "(-1) ** self.dimension",
        "theory/test_arrangements",
        ROLE,
    ),
    by_tests(
        "theory.regions._lower",
        "arora_2018_lower_bound",
        "hidden[0] // 2",
        "(hidden[0] + 1) // 2",
        "theory/test_bounds",
        COUNT,
    ),
    by_tests(
        "theory.lengths",
        "symmetric_lower_bound",
        "density * mean_absolute",
        "sqrt(density) * mean_absolute",
        "theory/test_lengths",
        CONSTANT,
    ),
    by_tests(
        "theory.lengths",
        "raghu_2017_hard_tanh_base",
        "weight_std**2 + bias_std**2",
        "weight_std**2",
        "theory/test_lengths",
        TERM,
    ),
    by_tests(
        "theory.generative",
        "mixture_density",
        "std * np.sqrt(2 * pi)",
        "std ** 2 * np.sqrt(2 * pi)",
        "theory/test_generative",
        CONSTANT,
    ),
    by_tests(
        "theory._meanfield_jacobian",
        "JacobianSpectrum.density",
        "(1e-9 * x / start) ** (step / n_steps)",
        "(1e-9 * x / start) ** (step / n_steps + 1)",
        "theory/test_meanfield_jacobian",
        CONSTANT,
    ),
    by_tests("theory._meanfield_field", "MeanField.chi_2", "self.gain / self.keep", "self.gain", "theory/test_meanfield", TERM),
    by_tests(
        "models.attention._masks",
        "padding",
        "torch.arange(n_keys) < n[:, None]",
        "torch.arange(n_keys) <= n[:, None]",
        "models/attention/test_masks",
        COUNT,
    ),
    by_tests(
        "models.vision._swin",
        "Merging.forward",
        "x.view(len(x), h, 2, h, 2, -1).permute(0, 1, 3, 4, 2, 5)",
        "x.view(len(x), h, 2, h, 2, -1).permute(0, 1, 3, 2, 4, 5)",
        "models/vision/test_vision",
        ROLE,
    ),
    by_tests(
        "measure.cells._lipschitz",
        "_norms",
        "np.sqrt(m) * error.max(axis=1)",
        "error.max(axis=1)",
        "measure/test_cells_constants",
        TERM,
    ),
    by_tests(
        "measure._density",
        "Density.standard_error",
        "np.sqrt(len(self.counts))",
        "len(self.counts)",
        "measure/test_boundary_density",
        CONSTANT,
    ),
    by_tests("dimension._twonn", "TwoNN._combine", "(n - n_kept) * logs[-1]", "0", "dimension/test_estimators", TERM),
    by_tests(
        "dimension._mle", "MLE._combine", "(1.0 / inverses).mean()", "1.0 / inverses.mean()", "dimension/test_estimators", ROLE
    ),
    by_tests(
        "learn._optimizers",
        "AMSGrad.update",
        "self.move(p, mean, largest, rate)",
        "self.move(p, mean, square, rate)",
        "learn/test_optimizers",
        ROLE,
    ),
    by_tests(
        "learn._optimizers",
        "AdaGrad.update",
        "total**0.5 + self.epsilon",
        "(total + self.epsilon) ** 0.5",
        "learn/test_optimizers",
        ROLE,
    ),
    by_tests("landscape._matching", "_distance", "(p - q) ** 2", "np.abs(p - q)", "landscape/test_directions", CONSTANT),
    by_tests(
        "robust.attacks._gradient",
        "_projected",
        "(epsilon / flat_norm(delta).clamp(min=1e-30)).clamp(max=1.0)",
        "epsilon / flat_norm(delta).clamp(min=1e-30)",
        "robust/test_attacks",
        TERM,
    ),
    by_tests("sparse._structured", "_without", "gone * layer.block + j", "gone + j", "sparse/test_channels", CONSTANT),
)
