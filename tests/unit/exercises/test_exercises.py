"""Exercises: every solution passes, answers a little beside it do not, and what is no answer is refused with a hint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import plica
from plica.cli import app
from plica.construct import folding, maximum, squaring, teeth
from plica.errors import InvalidInput
from plica.exercises import exercise, exercises, grade
from plica.exercises.solutions import solution
from plica.network import Linear, Network, Rectifier, extended

IDS = [each.id for each in exercises()]
RUNNER = CliRunner()


def test_every_lecture_has_five_to_ten() -> None:
    for lecture in ("4", "5", "15", "washington", "icerm"):
        assert 5 <= len(exercises(lecture)) <= 10
    with pytest.raises(InvalidInput, match="no lecture"):
        exercises("6")


@pytest.mark.parametrize("id", IDS)
def test_the_solution_passes_and_the_task_says_what_is_asked(id: str) -> None:
    each = exercise(id)
    assert each.title and each.task and each.kind in ("network", "numbers")
    found = each.grade(solution(id))
    assert found.is_right, found


def moved(id: str) -> Any:
    """A solution that is a little wrong: a number that is off, a weight that is."""
    right = solution(id)
    if exercise(id).kind == "numbers":
        values = np.atleast_1d(np.asarray(right, dtype=float)).copy()
        values[-1] += 1 if float(values[-1]).is_integer() else 1e-3
        return values
    network = getattr(right, "network", right)
    layers = network.dense_layers
    last = np.array(layers[-1].weight) + 0.01
    ops: list[Any] = []
    for layer in (*layers[:-1], Linear(last, layers[-1].bias)):
        ops += [Rectifier()] if ops else []
        ops.append(layer)
    return Network.sequential(network.n_inputs, ops)


#: Where a small change of the solution may be right too, because a bound is asked for.
BOUNDS = {"a-hundred-regions", "a-square", "sixteen-pieces", "seven-regions", "through-one-point", "ten-times-longer",
          "most-active", "nearest-other-class", "refute-the-slide", "where-they-differ", "beat-the-certificate"}  # fmt: skip


@pytest.mark.parametrize("id", sorted(set(IDS) - BOUNDS))
def test_an_answer_beside_the_right_one_fails(id: str) -> None:
    assert not grade(id, moved(id))


def generic(*widths: int, seed: int = 0) -> Network:
    return plica.random_network(list(widths), seed=seed, weights="he-normal", bias_std=1.0)


@pytest.mark.parametrize(
    ("id", "answer", "why"),
    [
        ("a-hundred-regions", lambda: generic(2, 12, 1), "79 regions"),
        ("a-hundred-regions", lambda: folding([2, 4, 4, 6, 1]), "14 neurons, 12 are allowed"),
        ("a-hundred-regions", lambda: generic(3, 4, 1), "3 inputs"),
        ("sixteen-pieces", lambda: generic(1, 8, 1), "pieces"),
        ("seven-regions", lambda: generic(2, 6, 1), "22 cells"),
        ("seven-regions", lambda: generic(2, 3, 3, 1), "one hidden layer"),
        ("through-one-point", lambda: generic(2, 7, 1), "without biases"),
        ("ten-times-longer", lambda: plica.random_network([2, 4, 2], seed=0), "not zero"),
        ("a-square", lambda: squaring(3), "0.003906"),
        ("maximum-of-three", lambda: generic(3, 2, 2, 2, 1), "3 hidden layers"),
        ("another-network", lambda: exercise("another-network").given["network"](), "has the weights"),
        ("fewer-neurons", lambda: exercise("fewer-neurons").given["network"](), "12 neurons"),
        ("nearest-other-class", lambda: [0.3, -0.2], "class"),
        ("nearest-other-class", lambda: [50.0, 80.0], ""),
        ("refute-the-slide", lambda: [3, 1], "4 regions"),
        ("refute-the-slide", lambda: [4.5, 2], "whole numbers"),
        ("most-active", lambda: [0.0, 2.0], "outside"),
        ("where-they-differ", lambda: [0.0, 0.0], "differ by 0 there"),
        ("where-they-differ", lambda: [0.0, 2.0], "outside"),
        ("beat-the-certificate", lambda: squaring(2), "at most 0.01562"),
        ("beat-the-certificate", lambda: squaring(3), "neurons"),
        ("he-scale", lambda: -0.125, "positive"),
        ("largest-step", lambda: 0, "positive"),
        ("what-a-line-adds", lambda: 10, "too many"),
        ("planes-in-space", lambda: 20, "enough, fewer are too"),
        ("maximum-of-three", lambda: generic(3, 3000, 1), "3000 neurons, 32 are allowed"),
        ("he-scale", lambda: 1e308, "inf"),
        ("variance-of-scores", lambda: 1e308, "variance 0"),
        ("variance-of-scores", lambda: 5e-324, "variance inf"),
    ],
)
def test_wrong_answers_are_told_why(id: str, answer: Any, why: str) -> None:
    found = grade(id, answer())
    assert not found.is_right and why in found.why, found


@pytest.mark.parametrize("id", [each for each in IDS if exercise(each).kind == "numbers"])
@pytest.mark.parametrize("answer", [[10**400], float("nan"), None, "three", [[1], [2, 3]], [], np.zeros(10**6), 1j])
def test_what_is_no_answer_is_refused_in_words(id: str, answer: Any) -> None:
    with pytest.raises(InvalidInput):
        grade(id, answer)


def layers(*pairs: tuple[Any, Any]) -> Network:
    """Dense layers with ReLU between them."""
    ops: list[Any] = []
    for weight, bias in pairs:
        ops += [Rectifier()] if ops else []
        ops.append(Linear(np.array(weight, dtype=float), np.array(bias, dtype=float)))
    return Network.sequential(np.shape(pairs[0][0])[1], ops)


def test_three_lines_twice_are_no_six_lines() -> None:
    """Three lines in general position make seven cells, too; each of them folded along twice is not what is asked for."""
    rows, offsets = [[1, 0], [0, 1], [1, 1]], [0, 0, -1]
    doubled = layers(
        (rows + [[-3 * v for v in r] for r in rows], offsets + [-3 * v for v in offsets]), ([[1, 2, 3, 4, 5, 6]], [0])
    )
    assert plica.count_regions(doubled, plica.Space(2)).n_cells == 7
    assert "same line" in grade("seven-regions", doubled).why
    zero = layers((rows * 2, [0, 0, -1, 5, 6, 7]), ([[1] * 6], [0]))
    assert not grade("seven-regions", zero)
    idle = layers(([[1, 0]] * 5 + [[0, 0]], [0, 1, 2, 3, 4, 5]), ([[1] * 6], [0]))
    assert "no line" in grade("seven-regions", idle).why


def test_a_layer_without_biases_folds_along_lines_through_zero() -> None:
    star = Network.sequential(
        2, [Linear(np.array([[1.0, k] for k in range(6)])), Rectifier(), Linear(np.ones((1, 6)), np.zeros(1))]
    )
    assert "12" in grade("seven-regions", star).why


def test_a_hat_that_dips_before_it_rises_is_no_hat() -> None:
    """Right at 0, 1/4, 1/2, 3/4 and 1, zero at -9 and 9, four pieces; but below zero in between."""
    slope = -2 / 8  # from (-9, 0) to (-1, -2), then up with slope 2 through (0, 0)
    dips = layers(([[-1], [1], [1]], [-1, 1, -0.5]), ([[-slope, 2, -4]], [-2]))
    x = np.array([[-9.0], [-1.0], [0.0], [0.25], [0.5], [0.75], [1.0]])
    assert dips(x)[:, 0].tolist() == [0.0, -2.0, 0.0, 0.5, 1.0, 0.5, 0.0]
    assert not grade("a-hat", dips)


def test_a_hat_with_its_top_beside_the_middle_is_no_hat() -> None:
    """Bends at 0.1, 0.4375 and 1: right at 0, 1/4, 1/2, 3/4, 1 and outside, four pieces; but 9/8 at its top."""
    rise = 0.5 / 0.15
    leaning = layers(([[1]] * 3, [-0.1, -0.4375, -1]), ([[rise, -2 - rise, 2]], [0]))
    x = np.array([-9.0, 0.0, 0.25, 0.5, 0.75, 1.0, 9.0])
    assert leaning(x[:, None])[:, 0] == pytest.approx([0.0, 0.0, 0.5, 1.0, 0.5, 0.0, 0.0], abs=1e-12)
    assert leaning([[0.4375]])[0, 0] == pytest.approx(9 / 8)
    assert "off by 0.25" in grade("a-hat", leaning).why  # at 0.1


def test_a_hat_that_leaves_zero_by_a_last_digit_is_not_zero_outside() -> None:
    rising = layers(([[1]] * 3, [0, -0.5, -1]), ([[2, -4, np.nextafter(2, 3)]], [0]))
    assert rising([[0.5]])[0, 0] == 1 and not grade("a-hat", rising)


class Tangents(torch.nn.Module):
    """The largest of 40 tangents of the parabola: one unit, 40 pieces, within 1/1600 of the square."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = torch.nn.Linear(1, 40)
        at = torch.arange(40) / 40
        with torch.no_grad():
            self.lines.weight.copy_(2 * at[:, None])
            self.lines.bias.copy_(-(at**2))
        self.largest = torch.nn.MaxPool1d(40)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.largest(self.lines(x).unsqueeze(1)).squeeze(1)


@pytest.mark.parametrize("id", ["sixteen-pieces", "a-square", "beat-the-certificate"])
def test_a_maximum_of_many_is_not_one_neuron(id: str) -> None:
    found = grade(id, Tangents())
    assert not found and "Max" in found.why


def test_a_unit_that_bends_twice_is_not_one_neuron() -> None:
    torch.manual_seed(0)
    twice = torch.nn.Sequential(torch.nn.Linear(2, 12), torch.nn.Hardtanh(-0.5, 0.5), torch.nn.Linear(12, 1))
    assert plica.decompose(plica.from_torch(twice), plica.Space(2)).n_regions >= 100
    assert "Clip" in grade("a-hundred-regions", twice).why


def test_a_slope_is_no_way_around_a_limit_of_weights() -> None:
    steep = Network.sequential(2, [Linear(np.eye(2)), Rectifier(slope=np.array(-40.0)), Linear(np.eye(2))])
    assert "slope" in grade("ten-times-longer", steep).why


def test_dense_layers_one_after_the_other_do_not_hide_biases() -> None:
    """Six parallel lines and one across: fourteen cells, by biases of the second of two dense layers."""
    rows = np.array([[1.0, 0.0]] * 6 + [[0.0, 1.0]])
    across = [
        Linear(np.eye(2)),
        Linear(rows, np.array([0.0, 1, 2, 3, 4, 5, 0])),
        Rectifier(),
        Linear(np.array([[1.0, 2, 4, 8, 16, 32, 3]])),
    ]
    network = Network.sequential(2, across)
    assert plica.count_regions(network, plica.Space(2)).n_cells == 14
    assert not grade("through-one-point", network)
    first, *rest = exercise("another-network").given["network"]().dense_layers
    doubled = Network.sequential(2, [Linear(np.eye(2)), first, Rectifier(), rest[0], Rectifier(), rest[1]])
    assert "three dense layers" in grade("another-network", doubled).why
    before = Network.sequential(2, [Linear(np.eye(2)), *[node.op for node in solution("seven-regions").nodes[1:]]])
    assert "two dense layers" in grade("seven-regions", before).why


def test_torch_modules_are_networks_and_other_things_are_no_answers() -> None:
    with pytest.raises(InvalidInput, match="2 numbers, asked for: 1"):
        grade("he-scale", [1, 2])
    for id, wrong in (("a-square", 3.0), ("he-scale", "a"), ("he-scale", float("nan")), ("he-scale", None)):
        with pytest.raises(InvalidInput):
            grade(id, wrong)
    with pytest.raises(InvalidInput, match="no exercise"):
        grade("nothing", 1)
    with pytest.raises(InvalidInput) as near:
        exercise("sixteen-pices")
    assert near.value.hint == "did you mean sixteen-pieces?"
    with pytest.raises(InvalidInput, match="no solution"):
        solution("nothing")
    tent = torch.nn.Sequential(torch.nn.Linear(1, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
    assert not grade("sixteen-pieces", tent)


def test_the_command_lists_tells_gives_and_grades(tmp_path) -> None:
    listed = RUNNER.invoke(app, ["exercise", "--lecture", "4"])
    assert listed.exit_code == 0 and listed.output.count("\n") == 6 and "a-square" in listed.output
    told = RUNNER.invoke(app, ["exercise", "fewer-neurons", "--given", str(tmp_path / "given.safetensors")])
    assert told.exit_code == 0 and "at most 7" in " ".join(told.output.split())
    assert "(fewer-neurons, lecture 15)" in told.output
    assert plica.load(tmp_path / "given.safetensors").n_neurons == 12
    plica.save(solution("fewer-neurons"), tmp_path / "mine.safetensors")
    right = RUNNER.invoke(app, ["exercise", "fewer-neurons", "--answer", str(tmp_path / "mine.safetensors")])
    assert right.exit_code == 0 and "right" in right.output
    wrong = RUNNER.invoke(app, ["exercise", "fewer-neurons", "--answer", str(tmp_path / "given.safetensors")])
    assert wrong.exit_code == 1 and "not yet" in wrong.output
    assert RUNNER.invoke(app, ["exercise", "he-scale", "--answer", "0.125"]).exit_code == 0
    both = RUNNER.invoke(app, ["exercise", "where-they-differ", "--given", str(tmp_path / "two.safetensors")])
    assert both.exit_code == 0
    first, second = (plica.load(tmp_path / f"two-{name}.safetensors") for name in ("first", "second"))
    assert (first.n_neurons, second.n_neurons) == (10, 15)
    refused = (
        ["he-scale", "--answer", "x"],
        ["he-scale", "--given", "g.safetensors"],
        ["nothing"],
        ["--answer", "3"],
        ["--lecture", "7"],
    )
    for options in refused:
        assert RUNNER.invoke(app, ["exercise", *options]).exit_code == 2, options


def test_a_point_of_another_class_that_is_too_far_away_is_refused() -> None:
    """A tenth farther than the nearest: another class, and not near enough."""
    start = np.array([0.3, -0.2])
    nearest = start + (solution("nearest-other-class") - start) / 1.01
    found = grade("nearest-other-class", start + 1.1 * (nearest - start))
    assert not found.is_right and found.facts["ratio"] == pytest.approx(1.1, rel=1e-3)


def test_a_notebook_shows_the_task_and_the_grade() -> None:
    task = exercise("nearest-fold")
    html = task._repr_html_()
    assert task.title in html and "given[" in html and ".grade(answer)" in html
    assert "Not yet" in grade("five-lines", 15)._repr_html_() and "Right" in grade("five-lines", 16)._repr_html_()
    for each in exercises():
        assert each.task and "<h4>" in each._repr_html_()


def changed(answer: Any, **last: float) -> Network:
    """A network whose last layer is multiplied or shifted."""
    network = getattr(answer, "network", answer)
    *first, end = network.dense_layers
    bias = np.zeros(len(end.weight)) if end.bias is None else np.array(end.bias)
    weight = np.array(end.weight) * last.get("times", 1.0)
    pairs = [(layer.weight, np.zeros(len(layer.weight)) if layer.bias is None else layer.bias) for layer in first]
    return layers(*pairs, (weight, bias + last.get("plus", 0.0)))


def max_for_positive() -> Network:
    """max(x, y, z) + max(-x, 0): a maximum where no number is negative."""
    (W, b), (V, c), (U, d) = ((np.array(n.weight), np.array(n.bias)) for n in maximum(3).network.dense_layers)
    first = np.vstack([W, [[-1.0, 0.0, 0.0]]]), np.append(b, 0.0)
    second = np.block([[V, np.zeros((len(V), 1))], [np.zeros((1, V.shape[1])), np.ones((1, 1))]]), np.append(c, 0.0)
    return layers(first, second, (np.hstack([U, [[1.0]]]), d))


def circle_by(ratio: float) -> Network:
    """The solution that stretches a circle, times what makes it stretch so much."""
    right = solution("ten-times-longer")
    return changed(right, times=ratio / grade("ten-times-longer", right).facts["ratio"])


@pytest.mark.parametrize(
    ("id", "answer", "why"),
    [
        ("a-hundred-regions", lambda: generic(2, 6, 6, 1, seed=8), "99 regions"),
        ("a-hundred-regions", lambda: generic(2, 13, 1), "13 neurons, 12 are allowed"),
        ("sixteen-pieces", lambda: teeth([3, 5]), "15 pieces"),
        ("sixteen-pieces", lambda: generic(1, 9, 1), "9 neurons, 8 are allowed"),
        ("refute-the-slide", lambda: [4, 4], "16 regions"),  # 4^2: as many as the slide says
        ("a-square", lambda: extended(squaring(4).network, [Linear(np.eye(1), np.array([0.0007]))]), "0.00167"),
        ("through-five-points", lambda: changed(solution("through-five-points"), plus=1e-7), "misses"),
        ("through-five-points", lambda: generic(1, 2, 2, 1), "one hidden layer"),
        ("a-hat", lambda: layers(([[1], [1], [1]], [0, -0.5, -1]), ([[2, -4, 2.125]], [0])), "outside"),
        ("maximum-of-three", max_for_positive, "differs from the maximum by up to 1"),
        ("parity-of-four", lambda: changed(solution("parity-of-four"), plus=1e-7), "16 of 16"),
        ("seven-regions", lambda: layers(([[0, 0], *[[1, 0]] * 5], [1, 1, 2, 3, 4, 5]), ([[1] * 6], [0])), "zero"),
        ("ten-times-longer", lambda: circle_by(9.5), "9.5 times"),
        ("ten-times-longer", lambda: layers(([[0, 0], [0, 1.5]], [0, 0]), (np.eye(2), [0, 0])), "beyond 1"),
        ("he-scale", lambda: 0.1251, "mean square"),
        ("largest-step", lambda: 0.05, "multiplied by 0.95"),
        ("affine-on-its-cell", lambda: np.add(solution("affine-on-its-cell"), [0, 1e-5, 0]), "1e-05"),
        ("nearest-fold", lambda: float(np.ravel(solution("nearest-fold"))[0]) + 1e-5, "not the distance"),
        ("most-active", lambda: [-0.91805295, -0.96694473], "6 neurons"),
        ("where-they-differ", lambda: [-0.6171875 + 1 / 32 - 0.005, 0.390625], "differ by 0.005 there"),
    ],
)
def test_answers_that_just_miss_are_told_so(id: str, answer: Any, why: str) -> None:
    found = grade(id, answer())
    assert not found.is_right and why in found.why, found


def test_two_networks_that_are_one_function_on_half_of_the_square_only_are_two() -> None:
    right = solution("another-network")
    (W, b), (V, c), (U, d) = ((np.array(n.weight), np.array(n.bias)) for n in getattr(right, "network", right).dense_layers)
    x = np.random.default_rng(0).uniform(-2, 2, (20_000, 2))
    below = np.maximum(x @ W.T + b, 0)
    above = np.maximum(below @ V.T + c, 0)
    unit = next(k for k in range(5) if not above[:, k].any())  # it is 0 on the whole square
    V[unit], c[unit] = 1.0, -below[np.abs(x).max(axis=1) <= 1].sum(axis=1).max() - 0.1
    U[0, unit] = 1.0
    found = grade("another-network", layers((W, b), (V, c), (U, d)))
    assert not found.is_right and found.facts["deviation"] >= (below.sum(axis=1) + c[unit]).max() - 1e-9 > 0
