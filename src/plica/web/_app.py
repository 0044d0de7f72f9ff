"""The server: a page, its files, and one socket on which states go in and pictures come out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from fastapi import FastAPI, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse, Response

from plica import __version__
from plica import _palette as palette
from plica.errors import InvalidInput, PlicaError
from plica.web._bundle import reached
from plica.web._cache import Checkpoints, FileStore
from plica.web._exercises import add_exercises
from plica.web._frames import pack, unpack
from plica.web._guard import LOOPBACK, Guard
from plica.web._lessons import LESSONS, scene_link, scenes
from plica.web._limits import Limits
from plica.web._pool import Busy, Pool, Ticket
from plica.web._state import State, schema
from plica.web._worker import refusal
from plica.web.views import SHEETS

STATIC = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
FILE_KINDS = ("model", "rows", "csv")
JOBS_EACH = 4
"""Jobs that one page may have under way."""


class Session:
    """What all requests share."""

    def __init__(self, limits: Limits, folder: Path, start: State) -> None:
        self.limits, self.start = limits, start
        self.pool = Pool(limits, folder)
        self.checkpoints = Checkpoints(limits.cache_bytes)
        self.files = FileStore(folder, limits.max_files)

    async def answer(self, message: dict[str, Any], ticket: Ticket | None = None) -> bytes:
        """The reply to one message of a page; the ticket says whether a worker has begun with it."""
        job = message.get("do")
        header: dict[str, Any] = {"job": job}
        if job == "check":
            header["claim"] = _text(message, "claim", 100)
        elif job in ("picture", "map", "view", "cell", "export", "images"):
            state = State.from_query(_text(message, "state", 10_000))
            header["state"] = state.to_query()
            if job == "map":
                header["part"] = _text(message, "part", 40)
            if job == "cell":
                header["cell"] = _integer(message, "cell")
            if job == "images":
                header["first"] = _integer(message, "first")
            if job == "export":
                header |= {"format": _text(message, "format", 20), "model_name": self.files.names.get(state.model, "")}
            return await self._on_training(state, header, ticket)
        else:
            raise InvalidInput(f"there is no request {str(job)[:40]!r}.")
        return (await self.pool.run(pack(header), ticket))[0]

    async def _on_training(self, state: State, header: dict[str, Any], ticket: Ticket | None) -> bytes:
        known = self.checkpoints.nearest(state) if state.data != "model" else None
        arrays = {} if known is None else {"checkpoint": np.frombuffer(known, np.uint8)}
        reply, kept = await self.pool.run(pack(header, arrays), ticket)
        if kept and state.data != "model":
            step = int(np.frombuffer(kept[:8], np.float64)[0])
            if step == state.step:  # a diverged training ends earlier
                self.checkpoints.keep(state, kept)
        return reply

    async def take(self, kind: str, name: str, content: bytes) -> dict[str, Any]:
        """Keep a dropped file if a worker can read it."""
        if kind not in FILE_KINDS:
            raise InvalidInput(f"there is no kind of file {kind[:40]!r}.", hint=f"one of {', '.join(FILE_KINDS)}")
        digest = self.files.put(content, name)
        reply, _ = await self.pool.run(pack({"job": "file", "digest": digest, "kind": kind}))
        facts, _ = unpack(reply)
        if not facts.pop("ok"):
            self.files.drop(digest)
            raise InvalidInput(facts["message"], hint=facts["hint"])
        return {"digest": digest, "kind": kind, "name": name, **facts}


def create_app(
    folder: Path,
    *,
    token: str,
    limits: Limits | None = None,
    hosts: tuple[str, ...] = LOOPBACK,
    start: State | None = None,
    cookie: str = "plica",
) -> tuple[Guard, Session]:
    """The guarded application and what it works with; dropped files are kept in ``folder``."""
    limits = limits or Limits()
    session = Session(limits, folder, start or State())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await session.pool.start()
        yield
        await session.pool.close()

    app = FastAPI(title="Plica explorer", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    _add_pages(app, session)
    _add_data(app, session)
    add_exercises(app, session)
    app.add_api_websocket_route("/api/socket", _Talk(session).serve)
    app.add_exception_handler(PlicaError, _refused)
    guard = Guard(app, token, limits.max_body, limits.max_sockets, hosts=hosts, cookie=cookie)
    return guard, session


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, PlicaError)
    status, extra = (429, {"retry-after": str(ceil(error.retry_s))}) if isinstance(error, Busy) else (422, {})
    return JSONResponse({"message": error.message, "hint": error.hint}, status_code=status, headers=extra)


def _add_pages(app: FastAPI, session: Session) -> None:
    static = files("plica.web") / "static"
    known = {entry.name: entry for entry in static.iterdir() if Path(entry.name).suffix in STATIC}

    @app.get("/")
    async def page() -> Response:
        text = (static / "index.html").read_text(encoding="utf-8")
        modules = {name: entry.read_text(encoding="utf-8") for name, entry in known.items() if name.endswith(".js")}
        ahead = [f'<link rel="modulepreload" href="/static/{name}">' for name in reached(modules, "main.js")]
        return Response(text.replace("</head>", "\n".join([*ahead, "</head>"])), media_type="text/html")

    @app.get("/open")
    async def ask() -> Response:
        return Response((static / "open.html").read_text(encoding="utf-8"), media_type="text/html")

    @app.get("/static/{name}")
    async def file(name: str) -> Response:
        if name not in known:
            return JSONResponse({"message": "there is no such file.", "hint": ""}, status_code=404)
        return Response(known[name].read_text(encoding="utf-8"), media_type=STATIC[Path(name).suffix])


def _add_data(app: FastAPI, session: Session) -> None:
    @app.get("/api/schema")
    async def about() -> dict[str, Any]:
        limits = {name: getattr(session.limits, name) for name in ("max_cells", "max_seconds", "max_body")}
        return schema() | {
            "sheets": list(SHEETS),
            "plica": __version__,
            "limits": limits,
            "start": session.start.to_query(),
            "files": dict(session.files.names),
            "colors": {"magnitudes": palette.CIVIDIS} | {m: {**s, "areas": palette.AREAS[m]} for m, s in palette.SCREEN.items()},
        }

    @app.get("/api/claims")
    def claims() -> dict[str, Any]:  # not async: reading the catalog takes a while
        return {"claims": _claims()}

    @app.get("/api/scenes")
    def lessons() -> dict[str, Any]:
        return {"scenes": scenes()}

    @app.post("/api/state")
    async def state(request: Request) -> dict[str, Any]:
        body = await request.body()
        return {"state": State.from_query(body.decode("utf-8", "replace")).to_query()}

    @app.post("/api/files/{kind}")
    async def drop(kind: str, request: Request, name: str = "") -> dict[str, Any]:
        content = b"".join([part async for part in request.stream()])
        return await session.take(kind, Path(name[-100:]).name if name.isprintable() else "file", content)


def _claims() -> list[dict[str, Any]]:
    from plica.claims import catalog, to_unicode

    keys = ("title", "statement", "source", "remark")
    return [
        {
            "id": c.id,
            "topic": c.topic,
            "expected": c.expected,
            "kind": c.kind,
            "show": scene_link(c.id) if c.id in LESSONS else None,
        }
        | {key: to_unicode(getattr(c, key)) for key in keys}
        for c in catalog()
    ]


class _Talk:
    """One socket: every message is answered with its number; a page that leaves takes its jobs along.

    A picture that still waits when the page asks for another one is dropped: nobody wants to see it any more.
    """

    def __init__(self, session: Session) -> None:
        self.session = session

    async def serve(self, socket: WebSocket) -> None:
        await socket.accept()
        tasks: dict[int, asyncio.Task[None]] = {}
        pictures: dict[int, Ticket] = {}

        def forget(number: int, task: asyncio.Task[None]) -> None:
            if tasks.get(number) is task:  # the number may have been given again
                del tasks[number]
                pictures.pop(number, None)

        try:
            while True:
                text = await socket.receive_text()
                message = _message(text, self.session.limits.max_message)
                number = message["id"]
                if message.get("do") == "cancel":
                    if number in tasks:
                        tasks[number].cancel()
                    continue
                if message.get("do") == "picture":
                    for stale in [n for n, ticket in pictures.items() if not ticket.has_begun and n != number]:
                        tasks[stale].cancel()
                        forget(stale, tasks[stale])
                        await self._send(socket, stale, refusal(PlicaError("the page asked for another picture."), status=499))
                if len(tasks) >= JOBS_EACH or number in tasks:
                    busy = Busy("this page has too many computations under way.", hint="wait for one of them")
                    await self._send(socket, number, _busy(busy))
                else:
                    ticket = Ticket(is_fleeting=message.get("do") == "picture")
                    tasks[number] = asyncio.create_task(self._job(socket, number, message, ticket))
                    tasks[number].add_done_callback(lambda task, n=number: forget(n, task))  # type: ignore[misc]
                    if message.get("do") == "picture":
                        pictures[number] = ticket
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass
        except PlicaError as error:
            await socket.close(1008, error.message[:120])
        finally:
            for task in list(tasks.values()):
                task.cancel()

    async def _job(self, socket: WebSocket, number: int, message: dict[str, Any], ticket: Ticket) -> None:
        try:
            reply = await self.session.answer(message, ticket)
        except Busy as error:
            reply = _busy(error)
        except PlicaError as error:
            reply = refusal(error)
        except asyncio.CancelledError:
            return
        try:
            await self._send(socket, number, reply)
        except (WebSocketDisconnect, RuntimeError):
            return

    @staticmethod
    async def _send(socket: WebSocket, number: int, reply: bytes) -> None:
        await socket.send_bytes(number.to_bytes(8, "little") + reply)


def _busy(error: Busy) -> bytes:
    return refusal(error, status=429, retry_s=round(error.retry_s, 3))


def _message(text: str, most: int) -> dict[str, Any]:
    if len(text) > most:
        raise InvalidInput(f"a message may have at most {most} characters.")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput("a message must be JSON.") from None
    if not isinstance(message, dict) or type(message.get("id")) is not int or not 0 <= message["id"] < 2**32:
        raise InvalidInput("a message must be an object with a number.")
    return message


def _text(message: dict[str, Any], name: str, most: int) -> str:
    value = message.get(name)
    if not isinstance(value, str) or len(value) > most:
        raise InvalidInput(f"{name} must be a text of at most {most} characters.")
    return value


def _integer(message: dict[str, Any], name: str) -> int:
    value = message.get(name)
    if type(value) is not int or not 0 <= value < 2**31:
        raise InvalidInput(f"{name} must be a whole number.")
    return value
