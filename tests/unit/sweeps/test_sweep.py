"""What a sweep is: tasks, their names, their randomness."""

import functools

import numpy as np
import pytest
import sweep_tasks
from hypothesis import given, settings
from hypothesis import strategies as st
from patience import patient

from plica.errors import InvalidInput
from plica.sweeps import Sweep
from plica.sweeps._canonical import dumps, plain


def anything(**arguments):
    return {"n": len(arguments)}


def keys(sweep):
    return [task.key for task in sweep.tasks()]


def test_grid_gives_all_combinations_and_seeds():
    sweep = Sweep(anything, grid={"a": [1, 2], "b": ["x", "y", "z"]}, seeds=range(4))
    assert len(sweep) == 24 == len(set(keys(sweep)))
    assert sweep.points[1] == {"a": 1, "b": "y"}


def test_list_of_points_is_run_as_it_is():
    sweep = Sweep(anything, grid=[{"a": 1}, {"a": 2, "b": 3}])
    assert sweep.points == ({"a": 1}, {"a": 2, "b": 3})


def test_empty_grid_is_one_point():
    assert len(Sweep(anything, seeds=range(3))) == 3


def test_task_does_not_depend_on_the_rest_of_the_grid():
    small = Sweep(anything, grid={"b": [2], "a": [1]}, seeds=[7])
    large = Sweep(anything, grid={"a": [0, 1, 2], "b": [1, 2]}, seeds=range(10))
    assert keys(small)[0] in keys(large)


@pytest.mark.parametrize(
    "change", [{"name": "other"}, {"root_seed": 1}, {"seeds": [1]}, {"grid": {"a": [1.0]}}, {"grid": {"b": [1]}}]
)
def test_name_root_seed_seed_and_parameters_each_make_another_task(change):
    base = {"grid": {"a": [1]}, "seeds": [0], "name": "one", "root_seed": 0}
    before, after = (next(Sweep(anything, **options).tasks()) for options in (base, base | change))
    assert before.key != after.key
    assert before.sequence().generate_state(4).tolist() != after.sequence().generate_state(4).tolist()


def test_randomness_is_the_same_in_every_release():
    # A published table must come out again: these numbers never change.
    task = next(Sweep(anything, grid={"a": [1]}, name="pinned", root_seed=3).tasks())
    assert task.key == "e4429693fd9fb8e752030baa62617ef47b1b5afd2a6bf863ce4b208d0ae652a5"
    assert task.sequence().generate_state(2).tolist() == [4153798360, 2893058513]


def test_seeds_of_tasks_look_independent():
    tasks = list(Sweep(anything, grid={"a": range(100)}, seeds=range(40)).tasks())
    first = np.array([np.random.default_rng(task.sequence()).random() for task in tasks])
    # mean of 4000 uniform numbers, and their correlation along the grid: five standard errors
    assert abs(first.mean() - 0.5) < 5 * np.sqrt(1 / 12 / 4000)
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < 5 / np.sqrt(4000)


def test_function_gets_rng_or_seed_or_neither_as_it_names_them():
    def with_rng(rng):
        return rng

    def with_seed(seed):
        return seed

    def with_neither():
        return None

    for function, kind in ((with_rng, np.random.Generator), (with_seed, int), (with_neither, type(None))):
        sweep = Sweep(function)
        job = sweep.job()
        assert isinstance(function(**job.arguments(next(sweep.tasks()))), kind)


def test_seed_fits_torch_and_numpy():
    sweep = Sweep(anything, seeds=range(200))
    seeds = [sweep.job().arguments(task)["seed"] for task in sweep.tasks()]
    assert len(set(seeds)) == 200 and all(0 <= seed < 2**63 for seed in seeds)


json_scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
json_values = st.recursive(
    json_scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)


@given(st.dictionaries(st.text(), json_values, max_size=4))
@settings(max_examples=100, deadline=None)
def test_canonical_text_does_not_depend_on_the_order_of_keys(point):
    text = dumps(plain(point, where="grid"))
    assert text == dumps(plain(dict(reversed(point.items())), where="grid"))
    assert text.isascii()


def test_numpy_scalars_name_the_same_task_as_python_numbers():
    ours = Sweep(anything, grid={"a": np.arange(3), "b": [np.float64(0.1)]})
    assert keys(ours) == keys(Sweep(anything, grid={"a": [0, 1, 2], "b": [0.1]}))


def test_keys_and_code_do_not_depend_on_the_hash_seed(python):
    code = "from sweep_tasks import sweep; print(sweep.code, *[t.key for t in sweep.tasks()])"
    processes = [python(code, hash_seed=str(seed)) for seed in (0, 1, 2)]
    told = {process.communicate(timeout=patient(30))[0] for process in processes}
    assert told == {" ".join([sweep_tasks.sweep.code, *keys(sweep_tasks.sweep)]) + "\n"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid": {"a": []}}, "empty"),
        ({"grid": []}, "empty"),
        ({"grid": {"a": "xyz"}}, "list of values"),
        ({"grid": {"a": 3}}, "list of values"),
        ({"grid": {"a": [float("nan")]}}, "nan"),
        ({"grid": {"a": [object()]}}, "object"),
        ({"grid": {"a": [{1: 2}]}}, "not a string"),
        ({"grid": {"a": [1, 1]}}, "twice"),
        ({"grid": {"seed": [1]}}, "seed"),
        ({"seeds": 3}, r"range\(3\)"),
        ({"seeds": [0, 0]}, "twice"),
        ({"seeds": [-1]}, "integers"),
        ({"seeds": []}, "at least one"),
        ({"root_seed": -1}, "zero or larger"),
        ({"root_seed": True}, "zero or larger"),
    ],
)
def test_mistakes_are_named_before_anything_runs(options, message):
    with pytest.raises(InvalidInput, match=message):
        Sweep(anything, **options)


def test_grid_that_does_not_fit_the_signature_is_refused():
    with pytest.raises(InvalidInput, match="depth"):
        Sweep(sweep_tasks.measure, grid={"depth": [1]})


def test_something_that_is_not_a_function_is_refused():
    with pytest.raises(InvalidInput, match="int"):
        Sweep(3)


def test_partial_function_is_named_by_its_function():
    sweep = Sweep(functools.partial(sweep_tasks.measure, kind="short"), grid={"n": [2]})
    assert sweep.name == "measure"
