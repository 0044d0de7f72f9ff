"""Exercises in the explorer: a page that lists them, and workers that grade numbers and dropped networks."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from math import isfinite
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.responses import Response

from plica.errors import InvalidInput
from plica.web._frames import pack, unpack

if TYPE_CHECKING:
    from plica.web._app import Session

MAX_NEURONS = 256
"""Of a network that is graded: tasks ask for a few dozen at most."""

MAX_NUMBERS = 64


def graded(header: dict[str, Any], file: Callable[[str], bytes]) -> dict[str, Any]:
    """Grade the answer of a message, in a worker: numbers in it, or the network of a dropped file."""
    from plica.exercises import exercise
    from plica.web._scene import load_model

    chosen = exercise(header["exercise"])
    answer: Any = header.get("numbers")
    if chosen.kind == "network":
        answer = load_model(header["digest"], file)
        if answer.n_neurons > MAX_NEURONS:
            raise InvalidInput(f"a network of {answer.n_neurons} neurons.", hint=f"at most {MAX_NEURONS} are graded here")
    found = chosen.grade(answer)
    return {"right": found.is_right, "why": found.why}


def add_exercises(app: FastAPI, session: Session) -> None:
    """The routes of the exercises."""

    @app.get("/exercises")
    async def page() -> Response:
        static = files("plica.web") / "static"
        return Response((static / "exercises.html").read_text(encoding="utf-8"), media_type="text/html")

    @app.get("/api/exercises")
    def listed() -> dict[str, Any]:
        from plica.claims import to_html
        from plica.exercises import exercises
        from plica.lectures import lectures

        known = lectures()
        return {
            "exercises": [
                {
                    "id": each.id,
                    "lecture": known[each.lecture].title,
                    "title": each.title,
                    "task": to_html(each.task),
                    "kind": each.kind,
                    "given": list(each.given),
                }
                for each in exercises()
            ]
        }

    @app.get("/api/exercises/{id}/given")
    def given(id: str, name: str = "") -> Response:
        from plica.exercises import exercise
        from plica.network import to_bytes

        chosen = exercise(id[:60])
        if not chosen.given:
            raise InvalidInput(f"{chosen.id} gives no network.")
        wanted = name or next(iter(chosen.given))
        if wanted not in chosen.given:
            raise InvalidInput(f"{chosen.id} gives no network {name[:60]!r}.", hint=f"one of {', '.join(chosen.given)}")
        file = chosen.id if len(chosen.given) == 1 else f"{chosen.id}-{wanted}"
        headers = {"content-disposition": f'attachment; filename="{file}.safetensors"'}
        return Response(to_bytes(chosen.given[wanted]()), media_type="application/octet-stream", headers=headers)

    @app.post("/api/exercises/{id}")
    async def answer(id: str, request: Request) -> dict[str, Any]:
        from plica.exercises import exercise

        chosen = exercise(id[:60])
        content = b"".join([part async for part in request.stream()])
        header: dict[str, Any] = {"job": "grade", "exercise": chosen.id}
        if chosen.kind == "numbers":
            return await _asked(session, header | {"numbers": _numbers(content)})
        if not content:
            raise InvalidInput("the file is empty.", hint="a .safetensors or .onnx file")
        known = set(session.files.names)
        digest = session.files.put(content, f"{chosen.id}.answer")
        try:
            return await _asked(session, header | {"digest": digest})
        finally:
            if digest not in known:  # what was dropped before for a picture stays
                session.files.drop(digest)


def _numbers(content: bytes) -> list[float]:
    """Numbers with commas between, as people write them."""
    text = content[:4096].decode("utf-8", "replace")
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput("the answer is not a list of numbers.", hint="numbers with commas between: 3, 0.5") from None
    if not all(isfinite(number) for number in found):
        raise InvalidInput("the answer holds something that is not a finite number.", hint="numbers with commas between: 3, 0.5")
    if len(found) > MAX_NUMBERS:
        raise InvalidInput(f"{len(found)} numbers.", hint=f"at most {MAX_NUMBERS}")
    return found


async def _asked(session: Session, header: dict[str, Any]) -> dict[str, Any]:
    """What a worker says."""
    reply, _ = await session.pool.run(pack(header))
    facts, _ = unpack(reply)
    if not facts.pop("ok"):
        raise InvalidInput(facts["message"], hint=facts["hint"])
    return {"right": facts["right"], "why": facts["why"]}
