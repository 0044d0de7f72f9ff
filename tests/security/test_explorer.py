"""The explorer under attack: wrong host, origin and token on every route; hostile files, states and clients."""

import importlib.util
import json
import socket
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from patience import patient, wait_for

import plica

pytest.importorskip("fastapi")
pytest.importorskip("onnx")
EVERYWHERE = "0.0.0.0"  # noqa: S104 the test is that it is refused
ATTACKS = Path(__file__).parent / "attacks"


def every_route():
    """Method and path of every route of the application, as the router lists them."""
    import tempfile

    from plica.web._app import create_app

    guard, _ = create_app(Path(tempfile.gettempdir()), token="x" * 16)
    routes = []
    for route in guard.app.routes:
        path = route.path.replace("{name}", "main.js").replace("{kind}", "model").replace("{id}", "sixteen-pieces")
        routes += [(method, path) for method in sorted(getattr(route, "methods", None) or {"SOCKET"})]
    return routes


ROUTES = every_route()


def test_the_routes_are_these_and_no_more():
    assert set(ROUTES) == {
        ("GET", "/"),
        ("GET", "/open"),
        ("GET", "/exercises"),
        ("GET", "/api/exercises"),
        ("GET", "/api/exercises/sixteen-pieces/given"),
        ("POST", "/api/exercises/sixteen-pieces"),
        ("GET", "/static/main.js"),
        ("GET", "/api/schema"),
        ("GET", "/api/claims"),
        ("GET", "/api/scenes"),
        ("POST", "/api/state"),
        ("POST", "/api/files/model"),
        ("SOCKET", "/api/socket"),
    }


def status(guarded, method, path, headers):
    """The status of a request with exactly these headers."""
    lines = [f"{'GET' if method == 'SOCKET' else method} {path} HTTP/1.1"]
    if method == "SOCKET":
        lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
    else:
        lines += ["Connection: close", *(["Content-Length: 2"] if method == "POST" else [])]
    lines += [f"{name}: {value}" for name, value in headers]
    with socket.create_connection((guarded.host, guarded.port), timeout=patient(10)) as line:
        line.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + (b"v=" if method == "POST" else b""))
        return int(line.recv(4096).split(b" ")[1])


def good(guarded):
    return {"Host": guarded.netloc, "Cookie": guarded.cookie, "Origin": guarded.origin}


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_the_right_host_origin_and_token_are_let_in(guarded, method, path):
    assert status(guarded, method, path, good(guarded).items()) in (101, 200, 422)


WRONG = {
    "another host": {"Host": "evil.example"},
    "another host with our port": {"Host": "evil.example:{port}"},
    "a host that begins like ours": {"Host": "127.0.0.1.evil.example:{port}"},
    "no host": {"Host": None},
    "no token": {"Cookie": None},
    "an empty token": {"Cookie": "plica-{port}="},
    "a wrong token": {"Cookie": "plica-{port}=AAAAAAAAAAAAAAAAAAAAAA"},
    "the start of the token": {"Cookie": "plica-{port}={start}"},
    "a wrong bearer": {"Cookie": None, "Authorization": "Bearer x"},
    "a token with odd letters": {"Cookie": "plica-{port}=\xff\xfe"},
    "another origin": {"Origin": "http://evil.example"},
    "the origin of another port": {"Origin": "http://127.0.0.1:1"},
    "the null origin": {"Origin": "null"},
    "an origin that begins like ours": {"Origin": "{origin}.evil.example"},
}


@pytest.mark.parametrize("what", WRONG)
def test_everything_else_is_refused_on_every_route(guarded, what):
    values = {"port": guarded.port, "start": guarded.token[:-1], "origin": guarded.origin}
    headers = good(guarded) | {k: v if v is None else v.format(**values) for k, v in WRONG[what].items()}
    given_headers = [(k, v) for k, v in headers.items() if v is not None]
    is_token = set(WRONG[what]) <= {"Cookie", "Authorization"}
    for method, path in ROUTES:
        if not (is_token and path == "/open"):  # a page that asks before it shows a state, and knows nothing
            assert status(guarded, method, path, given_headers) in (400, 403), (method, path)


def test_what_changes_something_must_name_its_origin(guarded):
    headers = [(k, v) for k, v in good(guarded).items() if k != "Origin"]
    for method, path in ROUTES:
        if method in ("POST", "SOCKET"):
            assert status(guarded, method, path, headers) == 403


def test_a_header_twice_is_worth_nothing(guarded):
    twice = [*good(guarded).items(), ("Origin", "http://evil.example")]
    for method, path in ROUTES:
        assert status(guarded, method, path, twice) in (400, 403)


def test_requests_of_other_pages_are_refused_even_with_the_cookie(guarded):
    headers = [*good(guarded).items(), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")]
    for method, path in ROUTES:
        assert status(guarded, method, path, headers) == 403


def test_a_wrong_token_in_the_address_gives_no_cookie(guarded):
    answer, _ = guarded.request("GET", "/?token=wrong", headers={})
    assert answer.status == 403 and "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "path",
    [
        "/static/../_app.py",
        "/static/..%2f_app.py",
        "/static/%2e%2e/_app.py",
        "/static/index.html",
        "/static//etc/passwd",
        "/etc/passwd",
    ],
)
def test_no_path_leaves_the_list_of_files(guarded, path):
    answer, content = guarded.request("GET", path)
    assert answer.status in (404, 405) and b"import" not in content


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD"])
def test_other_methods_do_nothing(guarded, method):
    for _, path in ROUTES:
        answer, _ = guarded.request(method, path)
        assert answer.status in (403, 404, 405)
        assert "access-control-allow-origin" not in answer.headers


def test_a_large_body_is_refused_whether_announced_or_not(guarded):
    answer, _ = guarded.request("POST", "/api/files/csv", headers={**guarded.headers, "Content-Length": str(10**9)})
    assert answer.status == 413
    with socket.create_connection((guarded.host, guarded.port), timeout=patient(20)) as line:
        head = (
            f"POST /api/files/csv HTTP/1.1\r\nHost: {guarded.netloc}\r\nCookie: {guarded.cookie}\r\nOrigin: {guarded.origin}\r\n"
        )
        line.sendall(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n")
        chunk = b"10000\r\n" + b"1" * 0x10000 + b"\r\n"
        try:
            for _ in range(64):
                line.sendall(chunk)
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert b"413" in line.recv(200)


def attacks(script):
    spec = importlib.util.spec_from_file_location(script, ATTACKS / f"{script}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ATTACKS


def npy(header):
    data = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(data).to_bytes(2, "little") + data


ROWS = {
    "object array": npy("{'descr': '|O', 'fortran_order': False, 'shape': (3, 3), }") + b"cos\nsystem\n(S'touch canary'\ntR.",
    "huge shape": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, 1024), }"),
    "negative shape": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 3), }") + bytes(72),
    "code in the header": npy("{'descr': __import__('os').system('touch canary'), 'fortran_order': False, 'shape': (3,), }"),
    "a zip": b"PK\x03\x04" + bytes(100),
    "a pickle": b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.",
    "text": b"hello",
    "nothing": b"",
    "not a number": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1), }") + np.array([np.nan] * 3).tobytes(),
}


def hostile_files():
    models = {**attacks("make_safetensors"), **attacks("make_onnx")}
    for name, (make, _) in models.items():
        yield "model", name, make
    for name, content in ROWS.items():
        yield "rows", name, lambda content=content: content


@pytest.mark.slow  # the models are those of test_hostile_files, here through the server
def test_hostile_files_are_refused_in_words_and_the_server_lives(guarded):
    for kind, name, make in hostile_files():
        answer, body = guarded.request("POST", f"/api/files/{kind}?name={kind}", body=make())
        assert answer.status in (413, 422), (name, answer.status, body[:200])
        text = body.decode()
        assert "Traceback" not in text and "internal error" not in text, (name, text)
        assert not set(text) & set("\x1b\u202e\0"), name
    answer, _ = guarded.request("POST", "/api/state", body=b"")
    assert answer.status == 200
    assert not Path("canary").exists()


@pytest.mark.parametrize("name", ROWS)
def test_a_hostile_array_is_refused_in_words(guarded, name):
    answer, body = guarded.request("POST", "/api/files/rows?name=x.npy", body=ROWS[name])
    assert answer.status == 422 and json.loads(body)["message"] and not Path("canary").exists()


def test_names_of_files_are_never_paths(guarded, tmp_path):
    plica.save(plica.random_network([2, 3, 1], seed=0), tmp_path / "m.safetensors")
    body = (tmp_path / "m.safetensors").read_bytes()
    answer, content = guarded.request("POST", "/api/files/model?name=../../../tmp/%3Cscript%3E.safetensors", body=body)
    assert answer.status == 200 and json.loads(content)["name"] == "<script>.safetensors"
    assert guarded.request("POST", "/api/files/..%2fmodel", body=body)[0].status in (404, 405, 422)
    assert guarded.request("POST", "/api/files/pickle", body=body)[0].status == 422


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(max_size=300))
def test_any_body_as_a_state_is_answered_without_a_5xx(guarded, body):
    assert guarded.request("POST", "/api/state", body=body)[0].status in (200, 422)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def test_any_message_on_the_socket_is_answered_or_closes_it(guarded):
    from websockets.exceptions import ConnectionClosed

    @settings(max_examples=40, deadline=None)
    @given(st.dictionaries(st.sampled_from(["do", "state", "cell", "format", "claim", "x"]), json_values, max_size=4))
    def attack(message):
        with guarded.socket() as line:
            line.send(json.dumps({"id": 1, **message}))
            if message.get("do") == "cancel":
                return
            try:
                reply = line.recv(timeout=patient(20))
            except ConnectionClosed:
                return
            assert b'"status":500' not in reply

    attack()


def test_two_hundred_silent_connections_do_not_stop_the_page(guarded):
    silent = []
    try:
        for _ in range(200):
            line = socket.create_connection((guarded.host, guarded.port), timeout=patient(5))
            line.sendall(b"GET / HTTP/1.1\r\nHost: ")
            silent.append(line)
        assert guarded.request("GET", "/")[0].status == 200
    finally:
        for line in silent:
            line.close()


def test_too_many_sockets_are_told_to_come_back(guarded):
    from contextlib import ExitStack

    from websockets.exceptions import InvalidStatus

    with ExitStack() as stack, pytest.raises(InvalidStatus) as caught:
        for _ in range(140):
            stack.enter_context(guarded.socket())
    assert caught.value.response.status_code == 429 and caught.value.response.headers["retry-after"]
    wait_for(lambda: may_open(guarded))  # the server has to notice that they are gone


def may_open(served):
    from websockets.exceptions import InvalidStatus

    try:
        with served.socket():
            return True
    except InvalidStatus:
        return False


@pytest.mark.parametrize(
    "options",
    [["--host", EVERYWHERE], ["--token", "short"], ["--host", EVERYWHERE, "--token", "x"], ["--token", "spaces are not allowed"]],
)
def test_others_are_let_in_only_with_a_strong_token(options):
    from typer.testing import CliRunner

    from plica.cli import app

    done = CliRunner().invoke(app, ["explore", "--no-browser", *options])
    assert done.exit_code == 2 and "token" in done.output
