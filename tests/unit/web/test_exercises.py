"""Exercises in the explorer: listed, their networks given, numbers and networks graded by a worker, nonsense refused."""

import json

import pytest

import plica
from plica.exercises import exercise, exercises
from plica.exercises.solutions import solution
from plica.network import to_bytes


def answered(served, id, body):
    answer, content = served.request("POST", f"/api/exercises/{id}", body=body)
    return answer.status, json.loads(content)


def test_every_exercise_is_listed_and_the_page_loads_nothing_from_elsewhere(served):
    _, content = served.request("GET", "/api/exercises")
    assert [each["id"] for each in json.loads(content)["exercises"]] == [each.id for each in exercises()]
    answer, page = served.request("GET", "/exercises")
    assert answer.status == 200 and b"/static/exercises.js" in page and b"http" not in page.replace(b"http-equiv", b"")
    for name in ("exercises.js", "exercises.css"):
        assert served.request("GET", f"/static/{name}")[0].status == 200


def test_numbers_and_networks_are_graded_as_everywhere(served):
    assert answered(served, "five-lines", b"16") == (200, {"right": True, "why": exercise("five-lines").grade(16).why})
    assert not answered(served, "five-lines", b" 15 ")[1]["right"]
    found = solution("a-hat")
    network = getattr(found, "network", found)
    status, said = answered(served, "a-hat", to_bytes(network))
    assert status == 200 and said["right"], said
    status, said = answered(served, "parity-of-four", to_bytes(network))
    assert status == 200 and not said["right"]


def test_the_network_of_a_task_is_given_as_a_file(served, tmp_path):
    answer, content = served.request("GET", "/api/exercises/nearest-fold/given")
    assert answer.status == 200 and "attachment" in answer.headers["content-disposition"]
    path = tmp_path / "given.safetensors"
    path.write_bytes(content)
    assert plica.load(path).widths == next(iter(exercise("nearest-fold").given.values()))().widths
    assert served.request("GET", "/api/exercises/five-lines/given")[0].status == 422
    for name, network in exercise("where-they-differ").given.items():
        answer, content = served.request("GET", f"/api/exercises/where-they-differ/given?name={name}")
        path.write_bytes(content)
        assert f"where-they-differ-{name}." in answer.headers["content-disposition"]
        assert plica.load(path).widths == network().widths
    assert served.request("GET", "/api/exercises/where-they-differ/given?name=third")[0].status == 422


@pytest.mark.parametrize(
    ("id", "body", "word"),
    [
        ("five-lines", b"sixteen", "numbers"),
        ("five-lines", b"1," * 100 + b"1", "numbers"),
        ("five-lines", b"nan", "finite"),
        ("five-lines", b"1e999", "finite"),
        ("a-hat", b"", "empty"),
        ("nothing-like-it", b"1", "no exercise"),
        ("a-hat", b"not a network", ""),
    ],
)
def test_what_is_no_answer_is_refused_with_a_hint(served, id, body, word):
    status, said = answered(served, id, body)
    assert status == 422 and word in said["message"] + said["hint"]


def test_networks_that_are_too_large_are_refused(served):
    network = plica.random_network([1, 300, 1], seed=0)
    status, said = answered(served, "a-hat", to_bytes(network))
    assert status == 422 and "300 neurons" in said["message"]
