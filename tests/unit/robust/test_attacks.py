"""Attacks against closed forms on linear models, against the certified distance, and against foolbox where it is installed."""

import numpy as np
import pytest
import torch

import plica
from plica.errors import InvalidInput
from plica.robust import class_distance
from plica.robust.attacks import (
    carlini_wagner,
    certified_shifts,
    deepfool,
    fgsm,
    margins,
    pgd,
    rotated,
    spatial,
    translated,
    universal_perturbation,
)
from plica.robust.attacks._gradient import _projected


def linear_model(seed: int = 0, classes: int = 4) -> torch.nn.Module:
    torch.manual_seed(seed)
    return torch.nn.Linear(6, classes).double()


def relu_model(seed: int = 0) -> torch.nn.Module:
    torch.manual_seed(seed)
    layers = [torch.nn.Linear(6, 10), torch.nn.ReLU(), torch.nn.Linear(10, 10), torch.nn.ReLU(), torch.nn.Linear(10, 4)]
    return torch.nn.Sequential(*layers).double()


def batch(model, n: int = 12, seed: int = 1):
    x = torch.randn(n, 6, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return x, model(x).argmax(1)


def linear_distance(model, x, labels) -> torch.Tensor:
    """The distance of a linear classifier: the least of the distances to the hyperplanes."""
    w, scores = model.weight.detach(), model(x).detach()
    rows = []
    for i, label in enumerate(labels.tolist()):
        others = [k for k in range(len(w)) if k != label]
        rows.append(min(float((scores[i, label] - scores[i, k]) / (w[label] - w[k]).norm()) for k in others))
    return torch.tensor(rows, dtype=torch.float64)


def test_deepfool_is_exact_on_linear_models():
    model = linear_model()
    x, labels = batch(model)
    found = deepfool(model, x, labels, overshoot=0.0)
    np.testing.assert_allclose((found - x).norm(dim=1), linear_distance(model, x, labels), rtol=1e-9)
    assert (margins(model(found), labels).abs() < 1e-9).all()


def test_carlini_wagner_comes_close_to_the_truth_on_linear_models():
    model = linear_model()
    x, labels = batch(model, n=4)
    found = carlini_wagner(model, x, labels, n_steps=300, searches=8, rate=0.02)
    true = linear_distance(model, x, labels)
    distance = (found - x).norm(dim=1)
    assert (margins(model(found), labels) <= 0).all()
    assert (distance >= true * (1 - 1e-12)).all() and (distance <= true * 1.05).all()


@pytest.mark.parametrize("norm", ["l2", "linf"])
def test_pgd_reaches_the_boundary_of_a_two_class_model_exactly_when_the_ball_does(norm):
    model = linear_model(classes=2)
    x, labels = batch(model)
    w = (model.weight[0] - model.weight[1]).detach()
    size = w.norm() if norm == "l2" else w.abs().sum()
    true = margins(model(x), labels).detach() / size
    epsilon = float(true.sort().values[5:7].mean())
    found = pgd(model, x, labels, epsilon=epsilon, norm=norm, n_steps=60)
    apart = (found - x).norm(dim=1) if norm == "l2" else (found - x).abs().amax(1)
    assert (apart <= epsilon * (1 + 1e-12)).all()
    fooled = margins(model(found), labels) < 0
    assert (fooled == (true < epsilon * (1 - 1e-9))).all()


def test_fgsm_moves_every_entry_by_epsilon_and_stays_inside():
    model = linear_model()
    x, labels = batch(model)
    assert torch.allclose((fgsm(model, x, labels, epsilon=0.1) - x).abs(), torch.full_like(x, 0.1))
    assert fgsm(model, x, labels, epsilon=9.0, limits=(-1.0, 1.0)).abs().max() <= 1.0


def test_restarts_never_make_an_attack_weaker():
    model = relu_model()
    x, labels = batch(model)
    one, five = (margins(model(pgd(model, x, labels, epsilon=0.3, restarts=k, n_steps=15)), labels) for k in (1, 5))
    assert (five <= one).all() and (one <= margins(model(x), labels)).all()


@pytest.mark.parametrize("seed", range(3))
def test_no_attack_is_nearer_than_the_certified_distance(seed):
    model = relu_model(seed)
    x, labels = batch(model, n=2, seed=seed)
    network = plica.from_torch(model.eval())
    fooled = deepfool(model, x, labels), carlini_wagner(model, x, labels, n_steps=100, searches=5, rate=0.02)
    for i in range(2):
        true = class_distance(network, x[i].numpy(), norm="l2", timeout_s=2, tolerance=1e-3)
        for found in fooled:
            if margins(model(found), labels)[i] <= 0:
                assert float((found - x)[i].norm()) >= true.lower
        inside = pgd(model, x[i : i + 1], labels[i : i + 1], epsilon=true.lower * 0.999, norm="l2", restarts=5)
        assert margins(model(inside), labels[i : i + 1])[0] > 0


def test_a_tie_needs_no_perturbation_and_flat_classes_stop_nobody():
    model = linear_model()
    with torch.no_grad():
        model.weight[1] = model.weight[0]  # class 1 differs from class 0 by a constant
        model.bias[1] = model.bias[0] - 1.0
    x, labels = batch(model)
    found = deepfool(model, x, labels)
    assert torch.isfinite(found).all() and (margins(model(found), labels) <= 0).all()
    with torch.no_grad():
        model.bias[1] = model.bias[0]
    tied = x[labels == 0][:1]
    if len(tied):
        assert torch.equal(deepfool(model, tied, torch.tensor([0])), tied)


def test_one_perturbation_fools_many():
    model = linear_model(classes=2)
    x, labels = batch(model, n=40)
    x, labels = x[labels == 0], labels[labels == 0]
    distance = linear_distance(model, x, labels)
    epsilon = float(distance.max() * 1.2)
    v = universal_perturbation(model, x, labels, epsilon=epsilon, rate=0.9)
    assert v.norm() <= epsilon * (1 + 1e-12)
    assert (margins(model(x + v), labels) <= 0).double().mean() >= 0.9


def test_integer_shifts_move_pixels_and_half_shifts_average():
    image = torch.arange(12.0).reshape(1, 3, 4)
    assert torch.equal(translated(image, 1, 0)[0, 1:], image[0, :-1])
    assert torch.equal(translated(image, 0, -0.5)[0, :, :-1], (image[0, :, 1:] + image[0, :, :-1]) / 2)
    assert torch.equal(translated(image, 9, 0), torch.zeros_like(image))


def test_a_quarter_turn_turns():
    image = torch.arange(9.0, dtype=torch.float64).reshape(1, 1, 3, 3)
    assert torch.allclose(rotated(image, 90.0), torch.rot90(image, 1, (2, 3)), atol=1e-6)
    assert torch.allclose(rotated(image, 0.0), image)


def image_model(seed: int = 0) -> torch.nn.Module:
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(36, 12), torch.nn.ReLU(), torch.nn.Linear(12, 3)).double()


@pytest.mark.parametrize("seed", range(4))
def test_certified_shifts_agree_with_many_shifts(seed):
    model = image_model(seed)
    image = torch.randint(0, 256, (1, 6, 6), generator=torch.Generator().manual_seed(seed)).double() / 256
    label = int(model(image[None]).argmax())
    network = plica.from_torch(model.eval())
    for axis, (rows, columns) in (("rows", (1, 0)), ("columns", (0, 1))):
        found = certified_shifts(network, image.numpy(), label, axis=axis, pixels=2)
        assert [(r.start, r.stop) for r in found] == [(-2, -1), (-1, 0), (0, 1), (1, 2)]
        for r in found:
            shifts = np.linspace(r.start, r.stop, 201)
            moved = torch.stack([translated(image, s * rows, s * columns) for s in shifts])
            least = float(margins(model(moved), torch.full((201,), label)).detach().min())
            assert r.verdict == ("sat" if least <= 0 else "unsat") or abs(least) < 1e-3
            if r.changed_at is not None:
                s = float(r.changed_at)
                assert r.start <= s <= r.stop
                assert margins(model(translated(image, s * rows, s * columns)[None]), torch.tensor([label]))[0] <= 1e-12


def test_the_grid_of_turns_and_shifts_contains_the_image():
    model = image_model()
    images = torch.rand(3, 1, 6, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    labels = model(images).argmax(1)
    worst = spatial(model, images, labels, n_angles=3, n_shifts=3, pixels=1.0)
    assert (margins(model(worst), labels) <= margins(model(images), labels)).all()


def test_wrong_shapes_are_refused():
    model = linear_model()
    with pytest.raises(InvalidInput):
        fgsm(model, torch.zeros(2, 6, dtype=torch.float64), torch.tensor([0]), epsilon=0.1)
    network = plica.from_torch(image_model().eval())
    with pytest.raises(InvalidInput, match="image"):
        certified_shifts(network, np.zeros((5, 5)), 0)
    with pytest.raises(InvalidInput, match="label"):
        certified_shifts(network, np.zeros((6, 6)), 7)


@pytest.mark.peer
@pytest.mark.parametrize("seed", range(3))
def test_foolbox_finds_the_same(seed):
    foolbox = pytest.importorskip("foolbox")
    model = relu_model(seed).float().eval()
    x, labels = batch(model.double(), seed=seed)
    model, x = model.float(), x.float()
    theirs = foolbox.PyTorchModel(model, bounds=(-10.0, 10.0))
    sign = foolbox.attacks.FGSM(random_start=False).run(theirs, x, labels, epsilon=0.1)
    assert torch.allclose(sign, fgsm(model, x, labels, epsilon=0.1, limits=(-10.0, 10.0)), atol=1e-6)
    steps = foolbox.attacks.LinfPGD(rel_stepsize=0.05, steps=20, random_start=False).run(theirs, x, labels, epsilon=0.3)
    ours = pgd(model, x, labels, epsilon=0.3, n_steps=20, step=0.015, limits=(-10.0, 10.0))
    assert (margins(model(ours), labels) <= margins(model(steps), labels) + 1e-4).all()
    near, _, fooled = foolbox.attacks.L2DeepFoolAttack(overshoot=0.02, candidates=None)(theirs, x, labels, epsilons=None)
    here = deepfool(model, x, labels, limits=(-10.0, 10.0))
    both = fooled & (margins(model(here), labels) <= 0)
    assert both.any()
    assert torch.allclose((near - x).norm(dim=1)[both], (here - x).norm(dim=1)[both], rtol=2e-2)
    away = foolbox.attacks.L2PGD(rel_stepsize=0.05, steps=20, random_start=False).run(theirs, x, labels, epsilon=0.5)
    ours = pgd(model, x, labels, epsilon=0.5, norm="l2", n_steps=20, step=0.025, limits=(-10.0, 10.0))
    assert (margins(model(ours), labels) <= margins(model(away), labels) + 1e-4).all()
    settings = {"steps": 200, "stepsize": 0.01, "initial_const": 1.0, "abort_early": False}
    small = foolbox.attacks.L2CarliniWagnerAttack(binary_search_steps=6, **settings).run(theirs, x, labels)
    here = carlini_wagner(model, x, labels, limits=(-10.0, 10.0))
    both = (margins(model(small), labels) <= 0) & (margins(model(here), labels) <= 0)
    assert both.sum() > len(x) / 2
    assert torch.allclose((small - x).norm(dim=1)[both], (here - x).norm(dim=1)[both], rtol=5e-2)


def test_random_starts_fill_the_ball_evenly() -> None:
    """In d dimensions the radius to the power d is uniform: its mean is 1/2."""
    from plica.robust.attacks._gradient import _random

    x = torch.zeros(4000, 3)
    shares = (_random(x, 2.0, "l2", torch.Generator().manual_seed(0)).norm(dim=1) / 2.0) ** 3
    assert shares.max() <= 1 + 1e-5 and abs(float(shares.mean()) - 0.5) < 5 * (1 / 12 / len(x)) ** 0.5


@pytest.mark.parametrize("norm", ["l2", "linf"])
def test_what_is_inside_a_ball_is_not_moved_to_its_border(norm: str) -> None:
    steps = torch.tensor([[0.3, -0.2], [3.0, -4.0]])
    there = _projected(steps, 1.0, norm)
    assert torch.equal(there[0], steps[0])
    torch.testing.assert_close(there[1], torch.tensor([0.6, -0.8] if norm == "l2" else [1.0, -1.0]))


@pytest.mark.parametrize("confidence", [0.0, 0.5])
def test_another_class_wins_by_the_confidence_that_is_asked_for(confidence: float) -> None:
    model = torch.nn.Linear(2, 2, bias=False)
    model.weight.data = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    found = carlini_wagner(model, torch.tensor([[1.0, 0.0]]), torch.tensor([0]), confidence=confidence, rate=0.05)
    margin = float(margins(model(found), torch.tensor([0])).detach())
    assert -confidence - 0.2 < margin <= -confidence


@pytest.mark.parametrize("norm", ["l2", "linf"])
def test_steps_of_pgd_are_five_halves_of_the_radius_by_their_number(norm: str) -> None:
    model, seen = linear_model(classes=2), []
    x, labels = batch(model, n=1)

    def watched(at: torch.Tensor) -> torch.Tensor:
        seen.append(at.detach() - x)
        return model(at)

    pgd(watched, x, labels, epsilon=0.4, norm=norm, n_steps=10)
    size = {"l2": lambda d: d.norm(), "linf": lambda d: d.abs().max()}[norm]
    assert float(size(next(d for d in seen if d.any()))) == pytest.approx(2.5 * 0.4 / 10)
    assert max(float(size(d)) for d in seen) == pytest.approx(0.4)


@pytest.mark.parametrize("overshoot", [0.02, 0.3])
def test_deepfool_goes_beyond_the_boundary_by_the_share_that_is_asked_for(overshoot: float) -> None:
    model = linear_model()
    x, labels = batch(model)
    found = deepfool(model, x, labels, overshoot=overshoot)
    np.testing.assert_allclose((found - x).norm(dim=1), (1 + overshoot) * linear_distance(model, x, labels), rtol=1e-9)


@pytest.mark.parametrize(("margin", "is_fooled"), [(0.8, True), (1.5, False)])
def test_the_distance_of_carlini_and_wagner_is_a_sum_of_squares(margin: float, is_fooled: bool) -> None:
    """|d|^2 + margin + w . d is least at d = -w / 2, where the margin is |w|^2 / 2 = 1 less: with c = 1 that may not do."""
    model = torch.nn.Linear(2, 2, bias=False)
    model.weight.data = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    x = torch.tensor([[margin, 0.0]])
    found = carlini_wagner(model, x, torch.tensor([0]), searches=1, n_steps=300, rate=0.02)
    assert torch.equal(found, x) != is_fooled


@pytest.mark.parametrize("degrees", [-15.0, 25.0])
def test_a_slope_turns_with_its_image_whatever_its_shape(degrees: float) -> None:
    """Where x, to the right, and y, up, were: bilinear reading is exact on slopes, as far as they reach."""
    rows, columns = np.mgrid[:9, :15].astype(float)
    x, y = columns - 7, 4 - rows
    angle = np.deg2rad(degrees)
    for image, expected in ((x, x * np.cos(angle) + y * np.sin(angle)), (y, y * np.cos(angle) - x * np.sin(angle))):
        found = rotated(torch.from_numpy(image)[None, None], degrees)[0, 0].numpy()
        np.testing.assert_allclose(found[3:6, 5:10], expected[3:6, 5:10], atol=1e-9)


@pytest.mark.parametrize(("row", "column"), [(1, 3), (5, 3), (3, 1), (3, 5)])
def test_the_grid_of_shifts_goes_to_all_four_sides(row: int, column: int) -> None:
    """One bright pixel in the middle; the class changes where it is moved to one place."""
    images = torch.zeros(1, 1, 7, 7, dtype=torch.float64)
    images[0, 0, 3, 3] = 1.0

    def model(x: torch.Tensor) -> torch.Tensor:
        return torch.stack([torch.full((len(x),), 0.5, dtype=x.dtype), x[:, 0, row, column]], dim=1)

    worst = spatial(model, images, torch.tensor([0]), degrees=0.0, n_angles=1, pixels=2.0, n_shifts=5)
    assert float(worst[0, 0, row, column]) == pytest.approx(1.0)


def test_the_free_variable_of_an_input_leads_back_to_it() -> None:
    from plica.robust.attacks._carlini_wagner import _from_free, _to_free

    x = torch.tensor([[-1.9, 0.0, 2.5]], dtype=torch.float64)
    torch.testing.assert_close(_from_free(_to_free(x, (-2.0, 3.0)), (-2.0, 3.0)), x, rtol=0, atol=1e-12)
    assert torch.equal(_from_free(_to_free(x, None), None), x)


def test_random_starts_fill_the_cube_on_both_sides() -> None:
    from plica.robust.attacks._gradient import _random

    steps = _random(torch.zeros(2000, 2), 0.5, "linf", torch.Generator().manual_seed(0))
    assert float(steps.abs().max()) <= 0.5 and abs(float(steps.mean())) < 5 * (0.25 / 3 / steps.numel()) ** 0.5
    assert abs(float(steps.square().mean()) - 0.25 / 3) < 0.005
