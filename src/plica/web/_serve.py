"""Running the explorer: a port, a token, a folder for dropped files, a browser."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plica._passing import passing_folder
from plica.errors import InvalidInput, MissingExtra
from plica.web._limits import Limits
from plica.web._state import State

PORT = 8400
ATTEMPTS = 20


def bound_socket(host: str, port: int | None) -> socket.socket:
    """A listening socket: on the given port, or on the first free one from 8400 on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    wanted = [port] if port is not None else [*range(PORT, PORT + ATTEMPTS), 0]
    for number in wanted:
        sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named: else asyncio leaves TCP_NODELAY off
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, number))
            return sock
        except OSError as error:
            sock.close()
            if number == wanted[-1]:
                raise InvalidInput(
                    f"port {number} of {host} cannot be used: {error.strerror}.",
                    hint="give another one with --port, or 0 for any",
                ) from None
    raise AssertionError


def serve(
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    token: str | None = None,
    hosts: tuple[str, ...] = (),
    limits: Limits | None = None,
    model: Path | None = None,
    data: Path | None = None,
    through: tuple[int, ...] | None = None,
    state: str = "",
    announce: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve the explorer until interrupted; ``announce`` is told the address once it answers."""
    try:
        import uvicorn

        from plica.web._app import create_app
        from plica.web._guard import LOOPBACK
    except ModuleNotFoundError as error:
        raise MissingExtra(f"the explorer needs the package {error.name}.", hint="pip install 'plica[web]'") from None
    if host not in ("127.0.0.1", "localhost", "::1") and not token:
        raise InvalidInput(f"--host {host} lets others in.", hint="choose a --token of 16 or more characters that they need")
    if token is not None and (len(token) < 16 or not token.isascii() or not token.replace("-", "").replace("_", "").isalnum()):
        raise InvalidInput("the token is weak.", hint="16 or more letters, digits, - and _")
    limits = limits or Limits()
    secret = token or secrets.token_urlsafe(16)
    with passing_folder() as folder, bound_socket(host, port) as sock:
        number = sock.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        app, session = create_app(folder, token=secret, limits=limits, hosts=(*LOOPBACK, shown, *hosts), cookie=f"plica-{number}")
        link = State.from_query(state)
        if model is not None:
            link = _with_model(session.files.put, link, model, data, through)
        session.start = link
        url = f"http://{shown}:{number}/?token={secret}#{link.to_query()}"
        config = uvicorn.Config(
            app, log_level="warning", ws="websockets-sansio", ws_max_size=limits.max_message, timeout_keep_alive=5,
            server_header=False, lifespan="on", timeout_graceful_shutdown=2, ws_ping_timeout=120.0,
            ws_per_message_deflate=False,  # arrays of floats hardly shrink, and squeezing them takes longer than computing them
        )  # fmt: skip
        _server(config, lambda: announce(url)).run(sockets=[sock])


def _with_model(put: Callable[..., str], state: State, model: Path, data: Path | None, through: tuple[int, ...] | None) -> State:
    from plica.network import load

    network = load(model)  # its errors are said here, on the command line
    changes = {"data": "model", "model": put(model.read_bytes(), model.name, pinned=True)}
    if data is not None:
        from plica.web._scene import load_rows

        content = data.read_bytes()
        changes["rows"] = put(content, data.name, pinned=True)
        load_rows(changes["rows"], lambda digest: content, network)
    return state.changed(**changes, **({"through": through} if through else {}))


def _server(config: Any, ready: Callable[[], None]) -> Any:
    """A server that says when it answers."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            if self.started:
                ready()

    return Server(config)
