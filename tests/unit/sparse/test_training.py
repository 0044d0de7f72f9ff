"""Masks while training: static, shrinking, moving; tickets; one protocol for all."""

from itertools import pairwise
from math import cos, pi

import pytest
import torch

import plica
from plica.errors import InvalidInput
from plica.learn import SGD, Adam, fit, mlp
from plica.sparse import (
    TRAININGS,
    Dynamic,
    Gradual,
    Protocol,
    apply_masks,
    count_kept,
    density,
    find_tickets,
    full_masks,
    is_collapsed,
    kept,
    masks_of,
    n_kept,
    prune,
    prune_units,
    reinitialized,
    sparse_fit,
    unit_scores,
)
from plica.sparse._tickets import smaller

MOONS = plica.data.load("moons")


@pytest.mark.parametrize("optimizer", [SGD(momentum=0.9, weight_decay=1e-2), Adam(), lambda m: torch.optim.AdamW(m.parameters())])
def test_masked_weights_stay_zero_under_every_optimizer(optimizer):
    model = mlp([2, 32, 1], seed=0)
    masks = prune(model, "random", 0.5)
    kept_before = model[0].weight.detach().clone()
    with kept(model, masks):
        fit(model, MOONS, epochs=2, optimizer=optimizer)
    assert n_kept(masks_of(model)) == n_kept(masks)
    assert all(not bool((model.state_dict()[k] != 0)[~m].any()) for k, m in masks.items())
    assert not torch.equal(model[0].weight[masks["0.weight"]], kept_before[masks["0.weight"]])
    fit(model, MOONS, epochs=1)  # afterwards they are free again
    assert n_kept(masks_of(model)) > n_kept(masks)


def test_after_step_is_called_after_every_step_and_its_changes_count():
    model, seen = mlp([2, 4, 1], seed=0), []

    def after(m, step):
        seen.append(step)
        m[0].bias.data.fill_(float(step))

    fit(model, MOONS, steps=5, after_step=after)
    assert seen == [1, 2, 3, 4, 5] and model[0].bias.tolist() == [5.0] * 4


def test_rigl_drops_the_smallest_and_grows_the_largest_gradients():
    model = mlp([4, 1], seed=0)
    with torch.no_grad():
        model[0].weight.copy_(torch.tensor([[0.1, -5.0, 0.0, 0.0]]))
    masks = {"0.weight": torch.tensor([[True, True, False, False]])}
    Dynamic(masks, "rigl").move(model, 0.5, {"0.weight": torch.tensor([[0.0, 9.0, -3.0, 2.0]])})
    assert masks["0.weight"].tolist() == [[False, True, True, False]]
    assert model[0].weight[0, 2] == 0.0 and model[0].weight[0, 1] == -5.0


def test_rigl_moves_the_share_of_its_schedule():
    """Between two moves exactly round(share n) weights of a layer are dropped and as many grown."""
    model = mlp([2, 40, 40, 1], seed=0)
    masks = prune(model, "random", 0.25, scope="erk")
    sizes = {k: int(m.sum()) for k, m in masks.items()}
    moving, seen = Dynamic(masks, "rigl", every=5, end=40, share=0.4), []

    def after(m, step):
        before = masks["2.weight"].clone()
        moving(m, step)
        seen.append((step, int((before & ~masks["2.weight"]).sum()), int((masks["2.weight"] & ~before).sum())))

    with moving.kept(model):
        fit(model, MOONS, steps=50, after_step=after)
    assert {k: int(m.sum()) for k, m in masks.items()} == sizes
    assert moving.n_moves == 7  # 5, 10, ..., 35
    for step, dropped, grown in seen:
        due = step % 5 == 0 and step < 40
        most = round(0.2 * (1 + cos(pi * step / 40)) * sizes["2.weight"]) if due else 0
        assert dropped == grown <= most and (dropped > 0) == due
    assert n_kept(masks_of(model)) <= n_kept(masks)  # what grew in the last move may still be zero


def test_set_drops_a_share_of_each_sign_and_grows_at_random():
    model = mlp([6, 1], seed=0)
    with torch.no_grad():
        model[0].weight.copy_(torch.tensor([[1.0, 2.0, -1.0, -2.0, 0.0, 0.0]]))
    found = []
    for seed in range(8):
        masks = {"0.weight": torch.tensor([[True, True, True, True, False, False]])}
        m = mlp([6, 1], seed=0)
        m.load_state_dict(model.state_dict())
        Dynamic(masks, "set", seed=seed).move(m, 0.5, {})
        assert int(masks["0.weight"].sum()) == 4 and masks["0.weight"][0, 1] and masks["0.weight"][0, 3]
        found.append(tuple(masks["0.weight"][0].tolist()))
    assert len(set(found)) > 1


def test_gradual_pruning_follows_the_cubic_schedule():
    model = mlp([2, 40, 40, 1], seed=0)
    masks, seen = full_masks(model), {}
    rule = Gradual(masks, 0.1, every=10, end=40)

    def after(m, step):
        rule(m, step)
        seen[step] = n_kept(masks)

    with kept(model, masks):
        fit(model, MOONS, steps=60, after_step=after)
    total = 2 * 40 + 40 * 40 + 40
    for step, n in seen.items():
        done = min(step // 10 * 10, 40) / 40
        assert n == count_kept(1 - 0.9 * (1 - (1 - done) ** 3), total)


def test_tickets_go_back_to_the_beginning_and_lose_a_fifth_each_round():
    model, starts = mlp([2, 20, 10, 1], seed=0), []

    def train(m):
        starts.append({k: v.clone() for k, v in m.state_dict().items()})
        return fit(m, MOONS, epochs=2).history.last["loss"]

    found = find_tickets(model, train, rounds=3)
    sizes = [[int(m.sum()) for m in t.masks.values()] for t in found]
    assert sizes == [[40, 200, 10], [32, 160, 9], [26, 128, 8], [21, 102, 7]]
    for ticket, start in zip(found, starts, strict=True):
        for name, mask in ticket.masks.items():
            assert torch.equal(start[name], starts[0][name] * mask)
        assert torch.equal(start["0.bias"], starts[0]["0.bias"])
    for a, b in pairwise(found):
        assert all(bool((b.masks[k] <= a.masks[k]).all()) for k in a.masks)
    other = reinitialized(found[3], mlp([2, 20, 10, 1], seed=9))
    assert n_kept(masks_of(other)) == n_kept(found[3].masks)


def test_rewinding_goes_back_to_a_later_state():
    model = mlp([2, 20, 1], seed=0)
    found = find_tickets(model, lambda m: fit(m, MOONS, epochs=1), rounds=1, rewind=lambda m: fit(m, MOONS, steps=3))
    fresh = mlp([2, 20, 1], seed=0)
    fit(fresh, MOONS, steps=3)
    assert torch.equal(found[1].start["0.weight"], fresh[0].weight)


def test_units_are_taken_with_what_reads_them():
    model = mlp([6, 10, 8, 2], seed=0)
    with torch.no_grad():
        model[0].weight[3] *= 1e-3
    scores = unit_scores(model)
    w0, w2 = model[0].weight.detach(), model[2].weight.detach()
    torch.testing.assert_close(scores["0.weight"], w0.norm(dim=1) * w2.norm(dim=0))
    masks = prune_units(model, 0.5)
    assert density(masks) <= 0.5 and not masks["0.weight"][3].any() and not masks["2.weight"][:, 3].any()
    rows = masks["0.weight"].any(dim=1)
    assert torch.equal(masks["2.weight"].any(dim=0), rows) and bool((masks["0.weight"][rows]).all())
    x = torch.randn(5, 6)
    apply_masks(model, masks)
    before = model(x)
    with torch.no_grad():
        model[0].bias[~rows] += 7.0  # nobody reads them
    assert torch.equal(before, model(x))


def test_channels_are_units_of_convolutions():
    from torch import nn

    model = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.Conv2d(6, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 16, 3))
    masks = prune_units(model, 0.4)
    alive = masks["2.weight"].flatten(1).any(dim=1)
    assert torch.equal(masks["5.weight"].view(3, 8, 16).all(dim=2).all(dim=0), alive) and 0 < int(alive.sum()) < 8
    apply_masks(model, masks)
    x = torch.randn(2, 1, 8, 8)
    before = model(x)
    with torch.no_grad():
        model[2].bias[~alive] += 5.0
    assert torch.equal(before, model(x))


@pytest.mark.parametrize("method", TRAININGS)
def test_every_method_keeps_the_density_that_was_asked_for(method):
    data = plica.data.load("digits").split(0.8, seed=0)
    share = 1.0 if method == "dense" else 0.2
    found = sparse_fit(
        mlp([64, 30, 20, 10], seed=0, flatten=True), data, method=method, density=share, protocol=Protocol(epochs=4, batch=20)
    )
    assert found.density <= share + 1e-3 and n_kept(masks_of(found.model)) <= n_kept(found.masks)
    assert method in ("tickets", "trained-units") or abs(found.density - share) < 2e-3
    assert found.accuracy is not None and found.accuracy > 0.3 and not is_collapsed(found.masks)
    assert found.epochs == 4 * (len(found.curve) or 1)


def test_the_protocol_gives_every_method_the_same_batches():
    """A mask that keeps everything is the dense training, bit for bit; masks that move take another path to the same numbers."""
    data = plica.data.load("digits").split(0.8, seed=0)
    models = [mlp([64, 20, 10], seed=0, flatten=True) for _ in range(3)]
    for model, method in zip(models, ("dense", "random", "rigl"), strict=True):
        sparse_fit(model, data, method=method, protocol=Protocol(epochs=1))
    assert torch.equal(models[0][1].weight, models[1][1].weight)
    torch.testing.assert_close(models[0][1].weight, models[2][1].weight, atol=1e-4, rtol=0)


def test_bad_settings_are_refused():
    model = mlp([2, 3, 1])
    with pytest.raises(InvalidInput):
        apply_masks(model, {"9.weight": torch.ones(3, 2, dtype=torch.bool)})
    with pytest.raises(InvalidInput):
        apply_masks(model, {"0.weight": torch.ones(2, 3, dtype=torch.bool)})
    with pytest.raises(InvalidInput):
        apply_masks(model, {"0.weight": torch.ones(3, 2)})
    with pytest.raises(InvalidInput):
        Dynamic(full_masks(model), "grow")
    with pytest.raises(InvalidInput):
        sparse_fit(model, MOONS, method="luck")
    with pytest.raises(InvalidInput):
        sparse_fit(model, MOONS, method="snip", density=0.0)
    with pytest.raises(InvalidInput):
        find_tickets(model, lambda m: None, rate={"0.weight": 0.5})
    with pytest.raises(InvalidInput):
        prune_units(mlp([2, 1]), 0.5)


def test_trials_are_a_sweep_that_goes_on_and_all_methods_start_alike(tmp_path):
    from plica.sparse import trial
    from plica.sweeps import Sweep, run

    fixed = {"data": ["digits"], "hidden": [[20]], "epochs": [1], "batch": [64]}
    grid = {"method": ["dense", "random"], "density": [1.0], "repetition": [0, 1]} | fixed
    table = run(Sweep(trial, grid={**grid, "repetition": [0]}), store=tmp_path / "sweep.db")
    again = run(Sweep(trial, grid=grid), store=tmp_path / "sweep.db")
    assert len(table) == 2 and len(again) == 4 and again.n_earlier == 2
    accuracies = {(r.parameters["method"], r.parameters["repetition"]): r.values["accuracy"] for r in again.rows}
    assert accuracies["dense", 0] == accuracies["random", 0] != accuracies["dense", 1]


def test_what_was_pruned_does_not_come_back_however_large_it_is():
    model = torch.nn.Sequential(torch.nn.Linear(4, 1, bias=False), torch.nn.ReLU(), torch.nn.Linear(1, 1, bias=False))
    model[0].weight.data = torch.tensor([[9.0, 1.0, -2.0, 3.0]])
    masks = {"0.weight": torch.tensor([[False, True, True, True]]), "2.weight": torch.tensor([[True]])}
    found = smaller(model, masks, {"0.weight": 1 / 3, "2.weight": 0.0})
    assert found["0.weight"].tolist() == [[False, False, True, True]] and found["2.weight"].tolist() == [[True]]


def test_every_round_of_tickets_has_the_rate_that_is_given_for_it():
    model = mlp([4, 10, 1], seed=0)
    names = list(full_masks(model))
    rates = [dict.fromkeys(names, r) for r in (0.5, 0.0, 0.2)]
    found = find_tickets(model, lambda m: None, rounds=3, rate=rates)
    assert [n_kept(t.masks) for t in found] == [50, 25, 25, 20]


@pytest.mark.parametrize("scope", ["global", "layer"])
def test_pruning_to_more_than_there_is_gives_nothing_back(scope):
    model = mlp([8, 32, 4], seed=0)
    few = prune(model, "random", 0.1, seed=1)
    found = prune(model, "magnitude", 0.5, scope=scope, masks=few)
    assert all(not bool((found[name] & ~few[name]).any()) for name in few)
