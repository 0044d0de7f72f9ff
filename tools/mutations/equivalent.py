"""Errors that change nothing: the same number by another way, or a number that nobody reads. Each with its reason."""

from __future__ import annotations

from mutants import Mutant, number_of

#: (module below plica, function, before, after), as the list of survivors prints them: why it cannot be noticed. Where a function
#: has several expressions that read ``before``, the number of the one that is meant follows: the others are errors.
REASONS: dict[tuple[str | int, ...], str] = {
    ("theory._meanfield_quadrature", "hermite", "weights > 1e-300", "weights >= 1e-300"): "no weight is exactly that",
    (
        "construct.errors._enclosure",
        "_short",
        "value.denominator.bit_length() + value.numerator.bit_length() <= 128",
        "value.denominator.bit_length() + value.numerator.bit_length() < 128",
    ): "how many digits of a fraction are printed",
    (
        "construct.errors._enclosure",
        "_short",
        "isinstance(value, Fraction) and value.denominator.bit_length() + value.numerator.bit_length() <= 128",
        "isinstance(value, Fraction) or value.denominator.bit_length() + value.numerator.bit_length() <= 128",
    ): "how many digits of a fraction are printed",
    (
        "construct.interpolants._tree_certificate",
        "TreeCertificate._joined_wrongly",
        "off > ROUNDING",
        "off >= ROUNDING",
    ): "a deviation is never exactly the rounding that is allowed",
    (
        "measure.cells._functional",
        "_chosen",
        "1",
        "2",
        0,
    ): "reshape(-2) is reshape(-1)",
    (
        "construct.circuits._circuit",
        "Circuit._needed",
        "source >= self.n_inputs",
        "source > self.n_inputs",
    ): "the first unit reads inputs only, and these are always there",
    (
        "construct.perceptrons._activations",
        "CENTERS",
        "0.0",
        "0.1",
    ): "the exponential may be expanded anywhere: all its derivatives are alike",
    (
        "measure._trajectory_adaptive",
        "_Intervals.kept",
        "_Intervals(self.starts[which], self.ends[which], self.chords[which], self.parts[which])",
        "_Intervals(self.ends[which], self.starts[which], self.chords[which], self.parts[which])",
    ): "intervals read from their other ends have the same chords",
    (
        "sparse._training",
        "_has_classes",
        "1",
        "2",
        1,
    ): "which of two ways to the same training is taken",
    ("landscape._carry", "Carrier.combined", "2", "3"): "room for rounding, a little more",
    ("robust._distance", "NUDGES", "1e-14", "1.2e-14"): "how far a point is moved when rounding kept it on the wrong side",
    (
        "construct.errors._enclosure",
        "approximation_error",
        "1",
        "2",
        4,
    ): "-1 or -2 for what is no polynomial, and then it is not read",
    ("measure._ensemble_signal", "estimate_signal", "a * b", "a / b"): "how much is computed at a time",
    (
        "construct.representations._few_maxima",
        "_without",
        "1",
        "2",
        3,
    ): "weights that add up to zero do so twice as much",
    ("measure._tropical", "_sum", "minkowski_sum(first, second)", "minkowski_sum(second, first)"): "a sum in another order",
    ("measure._fold_distance_bounds", "CANDIDATES", "3", "4"): "one more unit whose bound is tried",
    ("measure._equivalence", "_assigned", "1e-300", "1.2e-300"): "rows of zeros, whose sums are below either",
    ("landscape._isolation", "CUT", "0.4873", "0.58476"): "where intervals are divided; roots are isolated by either",
    (
        "robust._volume",
        "_measured",
        "found.complex.n_cells <= MOST_EXACT",
        "found.complex.n_cells < MOST_EXACT",
    ): "how many cells are added in fractions",
    (
        "models.attention._scores",
        "Bilinear.scores",
        "self.k.transpose(-1, -2)",
        "self.k.transpose(-2, -1)",
    ): "the same two axes",
    ("theory._meanfield_field", "_LIMIT", "1e+30", "1.2e+30"): "a number that stands for infinity",
    ("robust._exact_cell", "FEW_INPUTS", "16", "17"): "up to how many inputs a program in integers is tried",
    ("robust._search", "BY_STATES", "16", "17"): "how a search divides what is open; what it proves is the same",
    ("robust.bounds._backward", "CHUNK_ENTRIES", "22", "21"): "how much is computed at a time",
    ("robust._vnnlib", "MAX_WORDS", "1000000", "999999"): "a limit that no file is near",
    ("robust._vnnlib", "MAX_WORDS", "1000000", "1000001"): "a limit that no file is near",
    ("construct._arguments", "MAX_DEPTH", "500", "501"): "a limit with room: floats go down to 537",
    ("construct.targets._formulas", "MAX_POWER", "64", "63"): "a limit of what is read, named in its message",
    ("models.scattering._littlewood_paley", "ROUNDING", "2.0 ** (-40)", "2.0 ** (-40 + 1)"): "room for rounding, twice as much",
    ("construct.errors._verify", "UNITS", "4", "5"): "room for rounding in another program's copy of the weights",
    ("learn.tasks._translation", "bleu", "12345", "12346"): "another seed of a bootstrap",
    (
        "learn.tasks._translation",
        "multi30k",
        "80",
        "79",
        0,
    ): "where long sentences are cut before training; no number is stated about it",
    ("dimension._hein_audibert", "_slope", "1.0", "1.2"): "all weights of a line by least squares times 1.2",
    (
        "construct.polynomials._texture",
        "texture_network",
        "1",
        "2",
        3,
    ): "Circuit(1) in phase_teeth is only asked for the error of the phase: a second input, which nothing reads",
    (
        "measure.cells._streamed",
        "_above",
        "np.nextafter(float(x), np.inf)",
        "np.nextafter(np.inf, float(x))",
    ): "parts that cannot hold a lower value are looked at, too: the same minimum",
    (
        "measure._fold_distance",
        "_is_safe",
        "np.log2(rows.max())",
        "np.log(rows.max())",
    ): "values of that size are refused before, when the network is scaled to a safe range",
    (
        "robust._replay",
        "replay",
        "1",
        "2",
        0,
    ): "threads of another program",
    ("learn._flat", "Flat.kept", "0", "1"): "two buffers take turns in either order",
    (
        "learn._resume",
        "restore",
        "'loss' if isinstance(run.goal, Supervised) else 'objective'",
        "'objective' if isinstance(run.goal, Supervised) else 'loss'",
    ): "a word of a message",
    (
        "models.transformer._bert",
        "_base",
        "12",
        "11",
        0,
    ): "read when the module is imported; the sizes of bert-base are held by the numbers of its parameters in a test",
    ("theory._meanfield_field", "EDGE_TOLERANCE", "1e-09", "1.2e-09"): "how near to 1 counts as 1; nothing is that near",
    ("theory._meanfield_field", "_scale", "1 - EDGE_TOLERANCE", "1"): "differs only within 1e-9 of the edge of chaos",
    (
        "theory._meanfield_field",
        "MeanField._find_length",
        "1.1",
        "1.32",
        0,
    ): "the first step of a search for the same root",
    (
        "theory._meanfield_quadrature",
        "panels",
        "2",
        "3",
        2,
    ): "more nodes of a rule that has converged",
    (
        "theory._meanfield_quadrature",
        "_converge",
        "error <= tolerance * max(1.0, float(np.abs(value).max(initial=0.0)))",
        "error < tolerance * max(1.0, float(np.abs(value).max(initial=0.0)))",
    ): "an error is never exactly the tolerance",
    (
        "theory._meanfield_field",
        "MeanField.phase",
        "abs(self.chi_1 - 1) <= EDGE_TOLERANCE",
        "abs(self.chi_1 - 1) < EDGE_TOLERANCE",
    ): "a distance from the edge is never exactly the tolerance",
    ("theory._meanfield_quadrature", "TOLERANCE", "1e-12", "1.2e-12"): "how far an integral is refined",
    ("theory._meanfield_quadrature", "PAIR_TOLERANCE", "1e-10", "1.2e-10"): "how far an integral is refined",
    (
        "theory._meanfield_closed",
        "GELU.slope_power",
        "2",
        "1",
        1,
    ): "quadrature instead of the closed form: the same number",
    (
        "theory._meanfield_closed",
        "_correlation",
        "np.multiply(k1, k2, dtype=float)",
        "np.multiply(k2, k1, dtype=float)",
    ): "a product in the other order",
    (
        "theory._meanfield_jacobian",
        "JacobianSpectrum._top",
        "self.weight_std ** 2 * self._slopes[0].max()",
        "self.weight_std ** 2 / self._slopes[0].max()",
    ): "where there is a mass at the top of two or more layers, the largest slope is 1",
    ("models.attention._masks", "_Pair.__invert__", "operation(a, b)", "operation(b, a)"): "and, or: the same in either order",
    (
        "models.attention._cache",
        "Cache.forget",
        "self.keys is not None and self.values is not None",
        "self.keys is not None or self.values is not None",
    ): "keys and values are kept together",
    ("measure._trajectory_paths", "_vector", "1", "2"): "reshape(-2) is reshape(-1)",
    ("dimension._local_pca", "spectrum", "max(n, d)", "min(n, d)"): "how many roundings are zero",
    (
        "measure._pullback",
        "exact_pullback",
        "1",
        "2",
        3,
    ): "reshape(-2) is reshape(-1)",
    (
        "measure.cells._persistence",
        "persistence",
        "1",
        "2",
        2,
    ): "reshape(-2, 3) is reshape(-1, 3)",
    ("dimension._base", "Estimator.clone", "False", "True"): "no parameter of an estimator is an estimator",
    (
        "dimension._base",
        "Estimator.set_params",
        "sorted(self.get_params())",
        "self.get_params()",
    ): "scikit-learn's names come in order",
    ("robust.bounds._boxes", "gamma", "4", "5"): "one rounding more than there are: wider, and still a bound",
    ("dimension._persistence", "PersistentHomology.__init__", "4", "3"): "how many subsamples are drawn unless asked for more",
    ("measure._pullback", "exact_pullback", "1", "2", 1): "reshape(-2) is reshape(-1)",
    ("measure._pullback", "exact_pullback", "1", "2", 2): "reshape(-2) is reshape(-1)",
    ("theory._meanfield_field", "MeanField._find_length", "1.1", "1.32", 1): "the first step of a search for the same root",
    (
        "learn.tasks._translation",
        "multi30k",
        "80",
        "79",
        1,
    ): "where long sentences are cut before training; no number is stated about it",
    (
        "models.transformer._bert",
        "_base",
        "12",
        "11",
        1,
    ): "read when the module is imported, before errors are put in; 11 heads do not divide 768, so that nothing could be built",
    ("models.decoding._search", "greedy", "-1", "1"): "logits are a matrix: its last axis is its second",
    (
        "theory.regions._upper",
        "serra_2018_upper_bound",
        "n - j <= n_inputs",
        "n - j < n_inputs",
    ): "a sum over n - j < d <= n_inputs: what is put at n - j = n_inputs is added and taken away again",
    (
        "theory.regions._histograms",
        "hinz_van_de_geer_2019_upper_bound",
        "histogram(min(d, n), n)",
        "histogram(d, n)",
    ): "both histograms are those of dimension n from d = n on",
    (
        "measure.cells._lipschitz",
        "_spectral",
        "2",
        "1",
        1,
    ): "a a^T and a^T a have the same largest eigenvalue; the larger of them is taken, too",
    ("dimension._mle", "MLE._statistics", "logs[:, :k - 1]", "logs[:, :k]"): "one term more, the logarithm of T_k / T_k",
    (
        "construct.polynomials._cosine",
        "_wave",
        "(allowed - lost) / 4",
        "allowed - lost",
    ): "another division of the error among polynomial and squares; what is certified is added up after it",
    ("construct.representations._few_maxima", "_without", "1", "2", 0): "of this number only the sign is read",
    ("construct.representations._few_maxima", "_without", "1", "2", 1): "of this number only the sign is read",
}

#: Claims whose subject is not computed by this library, so that no error can be put into it, each with the reason.
NO_SUBJECT: dict[str, str] = {}


#: Constants that say how much is done at a time, or from what size on work is refused, by module.
LIMITS = {
    ("construct._arguments", "MAX_DEPTH"),
    ("construct.circuits._circuit", "MAX_ENTRIES"),
    ("construct.interpolants._spline", "MAX_UNITS"),
    ("construct.perceptrons._activations", "PARTS"),
    ("construct.perceptrons._certificate", "PARTS"),
    ("construct.perceptrons._multiplication", "MAX_UNITS"),
    ("construct.perceptrons._threshold", "MAX_UNITS"),
    ("construct.polynomials._bernstein", "MAX_DEGREE"),
    ("construct.polynomials._chebyshev", "MAX_DEGREE"),
    ("construct.representations._narrow", "MAX_DEPTH"),
    ("dimension._fisher", "_BLOCK_BYTES"),
    ("dimension._neighbors", "_BLOCK_BYTES"),
    ("dimension._neighbors", "_TREE_WORK"),
    ("dimension._pairs", "_BLOCK_BYTES"),
    ("learn._resume", "_FEW"),
    ("learn._state", "_FEW"),
    ("measure._ensembles", "GEMM_ENTRIES"),
    ("measure._fold_distance", "AFFORDABLE"),
    ("measure.cells._geodesics", "ROUNDS"),
    ("robust._vnnlib", "MAX_DEPTH"),
    ("robust._vnnlib", "MAX_VARIABLES"),
}


def reason_for(mutant: Mutant) -> str:
    """Why an error cannot be noticed; empty if it can."""
    module = mutant.module.removeprefix("plica.")
    if (module, mutant.function) in LIMITS:
        return "how much is done at a time, or the size from which work is refused: no result depends on it"
    key = (module, mutant.function, mutant.before, mutant.after)
    return REASONS.get(key) or REASONS.get((*key, number_of(mutant)), "")
