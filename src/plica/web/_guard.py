"""Who may speak to the server: the right host, the right origin, the right token, and not too much at once."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
WITHOUT_TOKEN = ("/open", "/static/open.js", "/static/style.css", "/static/icon.svg")
"""What is shown to a link from elsewhere, which carries no token: a page that asks, and nothing of the explorer."""
PAGES = ("/", "/exercises")
"""Pages that may be opened with the token in their address; it is then kept as a cookie and taken out of the address."""
HEADERS = [
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


@dataclass
class Guard:
    """An ASGI application around another: every request and every socket passes it first."""

    app: App
    token: str
    max_body: int
    max_sockets: int
    hosts: tuple[str, ...] = LOOPBACK
    cookie: str = "plica"
    n_sockets: int = field(default=0, init=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._request(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        why = self._refusal(scope)
        if why:
            await _deny(send, 403, why)
            return
        if self.n_sockets >= self.max_sockets:
            await _deny(send, 429, "too many pages are open.")
            return
        self.n_sockets += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.n_sockets -= 1

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _headers(scope)
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        if scope["path"] in PAGES and scope["method"] == "GET" and given and not self._wrong_place(headers, "GET"):
            if hmac.compare_digest(given.encode(), self.token.encode()):
                extra = [(b"location", scope["path"].encode()), (b"set-cookie", self._cookie_header(scope))]
                await _answer(send, 303, "", extra)
                return
        is_asked = scope["path"] in WITHOUT_TOKEN and scope["method"] == "GET"
        why = self._wrong_place(headers, "GET") if is_asked else self._refusal(scope)
        if why:
            await _answer(send, 403, why)
            return
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self.max_body:
            await _answer(send, 413, self._too_large)
            return
        await self._pass_on(scope, receive, send)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        taken = 0

        async def counted() -> MutableMapping[str, Any]:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self.max_body:  # the application turns it into an answer
                raise HTTPException(413, self._too_large)
            return message

        async def dressed(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *HEADERS]}
            await send(message)

        await self.app(scope, counted, dressed)

    @property
    def _too_large(self) -> str:
        return f"a file may have at most {self.max_body:,} bytes."

    def _cookie_header(self, scope: Scope) -> bytes:
        return f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/".encode()

    def _refusal(self, scope: Scope) -> str:
        """Why a request is not let in; empty if it is."""
        headers = _headers(scope)
        method = "SOCKET" if scope["type"] == "websocket" else scope["method"]
        return self._wrong_place(headers, method) or self._wrong_token(headers)

    def _wrong_place(self, headers: dict[str, str], method: str) -> str:
        host = headers.get("host", "")
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if name.lower() not in self.hosts:
            return "this host name is not allowed; give it with --allow-host."
        origin = headers.get("origin")
        if origin is None and method not in ("GET", "HEAD"):
            return "a request that changes something must name its origin."
        if origin is not None and origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
            return "requests of other pages are not allowed."
        if headers.get("sec-fetch-site", "none") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return "requests of other pages are not allowed."
        return ""

    def _wrong_token(self, headers: dict[str, str]) -> str:
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            morsel = None
        given = morsel.value if morsel is not None else headers.get("authorization", "").removeprefix("Bearer ")
        if hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode()):
            return ""
        return "the token is missing or wrong; open the address that `plica explore` printed."


def _headers(scope: Scope) -> dict[str, str]:
    """Headers by lower-case name; one that comes twice is worth nothing."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        found[key] = "\0" if key in found and key in ("host", "origin", "content-length") else value.decode("latin-1")
    return found


async def _answer(send: Send, status: int, text: str, extra: list[tuple[bytes, bytes]] | None = None) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *HEADERS, *(extra or [])]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})


async def _deny(send: Send, status: int, text: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *([(b"retry-after", b"5")] if status == 429 else [])]
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": text.encode()})
