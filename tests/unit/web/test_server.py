"""The server answers: pictures over the socket, files over HTTP, refusals in the words of the command line."""

import json
import os
import re
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from patience import patient, wait_for

import plica
from plica.web import Limits, State
from plica.web._frames import unpack
from plica.web._picture import picture
from plica.web._scene import scene_of


def ask(socket, number=1, **message):
    socket.send(json.dumps({"id": number, **message}))
    return receive(socket)


def ask_again(socket, number=1, **message):
    """As the page does: a picture that would have to wait too long is refused, and asked for again when it was told to."""
    end = time.monotonic() + patient(60)
    while True:
        found = ask(socket, number, **message)
        if found[1].get("status") != 429 or time.monotonic() > end:
            return found
        assert 0 < found[1]["retry_s"] < 60
        time.sleep(min(found[1]["retry_s"], 2.0))


def receive(socket):
    reply = socket.recv(timeout=patient(30))
    facts, arrays = unpack(reply[8:])
    return int.from_bytes(reply[:4], "little"), facts, arrays


def test_connections_send_small_parts_at_once():
    """Without TCP_NODELAY each answer of two parts waits 40 ms for a confirmation, and the page is made of fifty."""
    import asyncio
    import socket

    from plica.web._serve import bound_socket

    async def accepted():
        found = asyncio.get_running_loop().create_future()

        async def keep(reader, writer):
            found.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with bound_socket("127.0.0.1", 0) as listening:
            async with await asyncio.start_server(keep, sock=listening):
                _, writer = await asyncio.open_connection(*listening.getsockname())
                is_prompt = await found
                writer.close()
        return is_prompt

    assert asyncio.run(accepted())


def test_the_address_brings_a_cookie_and_then_the_page(served):
    answer, _ = served.request("GET", f"/?token={served.token}", headers={})
    assert answer.status == 303 and answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    answer, page = served.request("GET", "/")
    assert answer.status == 200 and b"Plica" in page
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in answer.headers


def test_the_page_loads_nothing_from_elsewhere(served):
    _, page = served.request("GET", "/")
    links = re.findall(rb'(?:src|href)="([^"]+)"', page)
    followed = re.findall(rb'<a [^>]*href="([^"]+)"', page)  # on a click, with the token
    assert followed == [b"/exercises"]
    assert links and all(link.startswith((b"/static/", b"/api/")) for link in links if link not in followed)
    for name in ("main.js", "style.css", "icon.svg"):
        answer, content = served.request("GET", f"/static/{name}")
        assert answer.status == 200 and content
        outside = re.findall(rb"https?://[^\s\"'`)]+", content)
        assert not [url for url in outside if b"www.w3.org" not in url]


def test_the_page_asks_for_all_its_modules_at_once(served):
    """Else each one that is read asks for the next ones, four times in a row."""
    static = Path(plica.__file__).parent / "web" / "static"
    page = served.request("GET", "/")[1].decode()
    ahead = set(re.findall(r'<link rel="modulepreload" href="/static/([\w.]+)">', page))
    asked = {"main.js"}
    for name in [*ahead, "main.js"]:
        asked |= set(re.findall(r'from "\./([\w.]+)"', (static / name).read_text(encoding="utf-8")))
    assert ahead | {"main.js"} == asked and len(ahead) > 40


def test_a_picture_over_the_socket_is_the_picture(served):
    _, expected = picture(scene_of(State(step=30), lambda digest: b""), Limits(max_seconds=patient(30)))
    with served.socket() as socket:
        for step in (10, 30):  # the second continues from the first
            number, facts, arrays = ask(socket, 7 + step, do="picture", state=f"step={step}")
        assert number == 37 and facts["ok"] and facts["step"] == 30
        assert set(arrays) == set(expected)
        for name in expected:
            if name != "losses":
                assert np.array_equal(arrays[name], expected[name]), name


def test_wrong_requests_are_refused_in_words_and_the_socket_lives(served):
    with served.socket() as socket:
        for message, words in [
            ({"do": "picture", "state": "widths=999"}, "widths"),
            ({"do": "picture", "state": 5}, "text"),
            ({"do": "dance"}, "no request"),
            ({"do": "cell", "state": "", "cell": -1}, "whole number"),
            ({"do": "export", "state": "", "format": "exe"}, "no export"),
            ({"do": "check", "claim": "nonsense"}, "no claim"),
            ({"do": "picture", "state": f"data=model&model={'0' * 64}"}, "drop the file again"),
            ({"do": "picture", "state": "data=expression&expr=__import__"}, "unexpected"),
        ]:
            _, facts, _ = ask(socket, **message)
            assert not facts["ok"] and facts["status"] == 422 and words in facts["message"] + facts["hint"], (message, facts)
        assert ask(socket, do="picture", state="")[1]["ok"]


def test_the_same_sentence_as_the_command_line(served, tmp_path):
    with pytest.raises(plica.PlicaError) as caught:
        State.from_query("color=red")
    with served.socket() as socket:
        _, facts, _ = ask(socket, do="picture", state="color=red")
    assert (facts["message"], facts["hint"]) == (caught.value.message, caught.value.hint)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"id": "x"}', '{"id": -1}', "[" * 10_000, '{"id": 1e400}', "x" * 40_000])
def test_a_message_that_is_none_closes_the_socket(served, text):
    from websockets.exceptions import ConnectionClosed

    with served.socket() as socket:
        socket.send(text)
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=patient(10))


def test_claims_come_with_statement_and_link_and_are_checked(served):
    _, body = served.request("GET", "/api/claims")
    claims = {claim["id"]: claim for claim in json.loads(body)["claims"]}
    assert len(claims) > 100 and claims["montufar-2014"]["show"] and claims["zaslavsky-1975"]["statement"]
    with served.socket() as socket:
        _, facts, arrays = ask(socket, do="check", claim="slide-binomial-sum")
    assert facts["evidence"]["verdict"] == "refuted" and bytes(arrays["svg"]).startswith(b"<svg")


def test_a_dropped_model_rows_and_table_are_shown(served, tmp_path):
    plica.save(plica.random_network([3, 8, 2], seed=0), tmp_path / "m.safetensors")
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((5, 3)))
    found = {}
    for kind, content in {
        "model": (tmp_path / "m.safetensors").read_bytes(),
        "rows": (tmp_path / "x.npy").read_bytes(),
        "csv": b"x,y\n0,1\n1,2\n2,0\n",
    }.items():
        answer, body = served.request("POST", f"/api/files/{kind}?name=mine.bin", body=content)
        found[kind] = json.loads(body)
        assert answer.status == 200, body
    with served.socket() as socket:
        model = f"data=model&model={found['model']['digest']}"
        for link in (
            model,
            f"{model}&rows={found['rows']['digest']}&through=2,0,4",
            f"data=csv&csv={found['csv']['digest']}&step=5",
        ):
            _, facts, _ = ask(socket, do="picture", state=link)
            assert facts["ok"] and facts["n_regions"] >= 1


def test_a_state_is_validated_over_http(served):
    answer, body = served.request("POST", "/api/state", body=b"widths=8&v=1")
    assert answer.status == 200 and json.loads(body)["state"] == "v=1&widths=8"
    answer, body = served.request("POST", "/api/state", body=b"\xff\xfe=&&&")
    assert answer.status == 422 and json.loads(body)["message"]


def busy_seconds(pids):
    """Processor time of the workers so far."""
    ticks = 0
    for pid in pids:
        if not Path(f"/proc/{pid}").exists():
            continue  # replaced in this moment
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def worker_pids(served):
    import psutil

    return sorted(child.pid for child in psutil.Process(served.process.pid).children())


def calm(served):
    """The workers, once none of them works."""
    end = time.monotonic() + patient(180)  # new workers compile kernels, in a fresh checkout for the first time
    while time.monotonic() < end:
        pids = worker_pids(served)
        before, since = busy_seconds(pids), time.monotonic()
        time.sleep(0.3)
        calm_s = 0.03 + 0.05 * (time.monotonic() - since)  # a busy machine lets this process sleep longer
        if len(pids) == 2 and worker_pids(served) == pids and busy_seconds(pids) - before < calm_s:
            return pids
    raise AssertionError("a worker still works for nobody")


LONG = "widths=64-64-64-64-64-64&step=100000"


def test_a_client_that_leaves_frees_its_worker(served):
    pytest.importorskip("psutil")
    calm(served)
    for _ in range(3):
        with ExitStack() as stack:
            for socket in [stack.enter_context(served.socket()) for _ in range(4)]:
                socket.send(json.dumps({"id": 1, "do": "picture", "state": LONG}))
            time.sleep(0.4)
        with served.socket() as socket:  # two workers have four jobs of minutes, and answer all the same
            assert ask_again(socket, do="picture", state="widths=4")[1]["ok"]
    assert len(calm(served)) == 2  # the same ones, unless the machine was too busy to interrupt them within a second


def test_a_cancelled_job_frees_its_worker(served):
    with served.socket() as socket:
        socket.send(json.dumps({"id": 1, "do": "picture", "state": LONG}))
        time.sleep(0.2)
        socket.send(json.dumps({"id": 1, "do": "cancel"}))
        number, facts, _ = ask_again(socket, 2, do="picture", state="widths=4")
        assert number == 2 and facts["ok"]


def test_a_job_that_takes_too_long_is_stopped_in_words(hasty):
    with hasty.socket() as socket:
        _, facts, _ = ask(socket, do="picture", state=LONG)
        assert not facts["ok"] and "longer than 3 seconds" in facts["message"]
        assert ask_again(socket, do="picture", state="widths=4")[1]["ok"]


def test_a_page_has_few_jobs_at_once(served):
    with served.socket() as socket:
        for number in range(8):
            socket.send(json.dumps({"id": number, "do": "export", "format": "python", "state": LONG}))
        refused = [receive(socket)[1] for _ in range(4)]
        assert all(facts["status"] == 429 for facts in refused)


def test_of_the_pictures_that_wait_only_the_newest_is_made(served):
    pytest.importorskip("psutil")
    workers = calm(served)
    before = {pid: busy_seconds([pid]) for pid in workers}
    with served.socket() as one, served.socket() as other, served.socket() as socket:
        for line in (one, other):
            line.send(json.dumps({"id": 1, "do": "picture", "state": LONG}))
        wait_for(lambda: all(busy_seconds([pid]) > before[pid] + 0.1 for pid in workers))
        for number, link in enumerate(("widths=3", "widths=5", "widths=6", "widths=4")):
            socket.send(json.dumps({"id": number, "do": "picture", "state": link}))
        replies = dict(receive(socket)[:2] for _ in range(3))
        assert set(replies) == {0, 1, 2} and {facts["status"] for facts in replies.values()} <= {429, 499}
        for line in (one, other):
            line.send(json.dumps({"id": 1, "do": "cancel"}))
        number, facts, _ = receive(socket)
        assert number == 3
        if not facts["ok"]:
            number, facts, _ = ask_again(socket, 3, do="picture", state="widths=4")
        assert facts["ok"] and facts["widths"] == [2, 4, 1]


def test_a_client_that_never_reads_holds_up_nobody(served):
    with served.socket() as deaf:
        for number in range(300):
            deaf.send(json.dumps({"id": number, "do": "picture", "state": "widths=16-16"}))
        with served.socket() as socket:
            for number in range(3):
                assert ask_again(socket, number, do="picture", state="widths=4")[1]["ok"]


def test_a_worker_that_dies_is_replaced_and_the_client_told(served):
    psutil = pytest.importorskip("psutil")
    workers = calm(served)
    before = busy_seconds(workers)
    with served.socket() as socket:
        socket.send(json.dumps({"id": 1, "do": "picture", "state": LONG}))
        wait_for(lambda: busy_seconds(workers) > before + 0.1)  # one of them is at work
        for pid in workers:
            psutil.Process(pid).kill()
        _, facts, _ = receive(socket)
        assert not facts["ok"] and "memory" in facts["message"]
        wait_for(lambda: ask(socket, 2, do="picture", state="widths=4")[1]["ok"], 60)


def test_a_link_from_elsewhere_is_asked_about_and_nothing_else_is_shown_to_it(served):
    navigation = {"Host": served.netloc, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    answer, content = served.request("GET", "/open", headers=navigation)
    assert answer.status == 200 and b"Open it" in content and served.token.encode() not in content
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    for path in ("/", "/api/schema", "/api/scenes", "/static/main.js", "/open/", "/open/../api/schema"):
        assert served.request("GET", path, headers=navigation)[0].status == 403, path
    assert served.request("POST", "/open", headers=navigation)[0].status == 403
    assert served.request("GET", "/open", headers={"Host": "evil.example"})[0].status == 403
