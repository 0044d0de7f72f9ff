"""Errors in ``plica.learn``."""

from __future__ import annotations

from error import CHANGED, CONSTANT, COUNT, EXPONENT, FORMULA, ROLE, TERM, Error, within

ERRORS: tuple[Error, ...] = (
    *within(
        "learn._certified",
        ("_pulled", "a.abs().sum(2)", "a.sum(2)", "learn/test_certified", TERM),
        ("_pulled", "unsure * -slope * low", "0.5 * unsure * -slope * low", "learn/test_certified", CONSTANT),
        ("_pulled", "a.clamp(max=0) @ height", "a.clamp(min=0) @ height", "learn/test_certified", ROLE),
        ("_interval", "(high - low) / 2", "high - low", "learn/test_certified", CONSTANT),
        ("_interval", "layer.weight.abs()", "layer.weight", "learn/test_certified", ROLE),
        ("worst_scores", "weight.abs() @ radius[..., None]", "weight @ radius[..., None]", "learn/test_certified", ROLE),
        (
            "CertifiedObjective.__call__",
            "1.0 - share * (1.0 - self.natural)",
            "share * self.natural",
            "learn/test_written_out",
            TERM,
        ),
        ("CertifiedObjective.__call__", "share * self.epsilon", "self.epsilon", "learn/test_written_out", TERM),
    ),
    *within(
        "learn._crossings",
        (
            "pattern_penalty",
            "-(b1 / (w1 * w1).sum(dim=1))[:, None] * w1",
            "-(b1 / (w1 * w1).sum(dim=1).sqrt())[:, None] * w1",
            "learn/test_written_out",
            FORMULA,
        ),
    ),
    *within(
        "learn._finite_sums",
        ("saga", "mean + (new - old) / problem.n_summands", "mean + (new - old)", "variance-reduction-sharpness", TERM),
        ("svrg", "kept", "w", "learn/test_written_out", TERM),
    ),
    *within(
        "learn._flat",
        ("Flat.go_back", "kept[0]", "self._spare[1]", "learn/test_written_out", FORMULA),
    ),
    *within(
        "learn._gap",
        (
            "generalization_gap",
            "evaluate(model, (data.x_test, data.y_test))",
            "evaluate(model, (data.x, data.y))",
            "learn/test_written_out",
            FORMULA,
        ),
    ),
    *within(
        "learn._generative",
        (
            "reconstruction",
            "(model(x) - x).square().flatten(1).sum(dim=1).mean()",
            "(model(x) - x).square().mean()",
            "learn/test_written_out",
            TERM,
        ),
        (
            "denoising",
            "x + noise_std * torch.randn_like(x)",
            "x + noise_std ** 2 * torch.randn_like(x)",
            "learn/test_written_out",
            FORMULA,
        ),
        (
            "adversarial",
            "softplus(-logit).mean() if game == 'non-saturating' else -softplus(logit).mean()",
            "softplus(-logit).mean()",
            "learn/test_written_out",
            TERM,
        ),
        ("adversarial", "told + generator_weight * fooled", "told + fooled", "learn/test_written_out", TERM),
        ("negative_bound", "-model.bound(batch[0]).mean()", "-model.bound(batch[0]).sum()", "learn/test_written_out", FORMULA),
    ),
    *within(
        "learn._history",
        ("History.last", "value is not None", "True", "learn/test_written_out", TERM),
    ),
    *within(
        "learn._losses",
        ("n_right", "output.reshape(-1) > 0", "output.reshape(-1) >= 0", "learn/test_objectives", COUNT),
        ("is_sequence", "output.shape[:2] == target.shape", "True", "learn/test_written_out", TERM),
    ),
    *within(
        "learn._optimizers",
        ("Adam.move", "rate / (1 - self.beta1**self.n_steps)", "rate", "learn/test_optimizers", TERM),
        (
            "Adam.move",
            "rate / (1 - self.beta1 ** self.n_steps)",
            "-rate / (1 - self.beta1 ** self.n_steps)",
            "sawtooth-relearned",
            ROLE,
        ),
        (
            "Adam.move",
            "rate / (1 - self.beta1 ** self.n_steps)",
            "0.5 * rate / (1 - self.beta1 ** self.n_steps)",
            "sawtooth-relearned",
            CONSTANT,
        ),
        ("Adam.move", "1 - self.beta2 ** self.n_steps", "1 - self.beta2 ** (self.n_steps + 1)", "sawtooth-relearned", COUNT),
        ("SGD.update", "self.momentum * velocity", "velocity", "learn/test_optimizers", TERM),
        ("SGD.update", "g + self.momentum * velocity", "g + velocity", "nesterov-2004-rate", CHANGED),
        ("SGD.update", "g + self.momentum * velocity", "velocity + self.momentum * g", "nesterov-2004-rate", ROLE),
        ("AdaGradNorm.update", "rate / b * g", "rate / b**2 * g", "ward-2019-stochastic", EXPONENT),
        ("AdaGrad.update", "total**0.5", "total", "duchi-2011-regret", EXPONENT),
        ("AdaGrad.update", "total**0.5 + self.epsilon", "(total + self.epsilon) ** 0.5", "learn/test_optimizers", ROLE),
        ("AMSGrad.update", "square > largest", "square < largest", "reddi-2018-adam", ROLE),
        (
            "AMSGrad.update",
            "self.move(p, mean, largest, rate)",
            "self.move(p, mean, square, rate)",
            "learn/test_optimizers",
            ROLE,
        ),
        ("AdaGradNorm.start", "self.b0 ** 2", "self.b0", "ward-2019-adagrad-norm", CHANGED),
    ),
    *within(
        "learn._points",
        (
            "divide",
            "(points.take(order[n:]), points.take(order[:n]))",
            "(points.take(order[:n]), points.take(order[n:]))",
            "learn/test_written_out",
            ROLE,
        ),
    ),
    *within(
        "learn._probes",
        (
            "Patterns.measure",
            "int((~states.any(axis=0)).sum())",
            "int((~states.any(axis=1)).sum())",
            "learn/test_written_out",
            CONSTANT,
        ),
        (
            "Patterns.measure",
            "float((states != self._before).mean())",
            "float((states != self._before).any(axis=1).mean())",
            "learn/test_written_out",
            FORMULA,
        ),
        (
            "Jacobians.measure",
            "float(np.mean([float((s ** 2).sum()) for s in spectra]))",
            "float(np.mean([float(s.sum()) ** 2 for s in spectra]))",
            "learn/test_written_out",
            FORMULA,
        ),
        (
            "Jacobians.measure",
            "np.array([s[0] for s in spectra])",
            "np.array([s[-1] for s in spectra])",
            "learn/test_written_out",
            FORMULA,
        ),
        ("FoldDistance.measure", "float(np.median(found))", "float(found.mean())", "learn/test_written_out", FORMULA),
    ),
)
