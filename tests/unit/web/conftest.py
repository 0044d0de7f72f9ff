"""A real server in a process of its own."""

import http.client
import json
import subprocess
import sys
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest
from patience import patient


@dataclass
class Served:
    """A running explorer and how to speak to it."""

    process: subprocess.Popen
    url: str

    def __post_init__(self):
        parts = urlsplit(self.url)
        self.netloc, self.host, self.port = parts.netloc, parts.hostname, parts.port
        self.token = parts.query.removeprefix("token=")
        self.origin = f"http://{self.netloc}"
        self.cookie = f"plica-{self.port}={self.token}"
        self.headers = {"Cookie": self.cookie, "Origin": self.origin}

    def request(self, method, path, *, body=None, headers=None):
        line = http.client.HTTPConnection(self.host, self.port, timeout=patient(30))
        line.putrequest(method, path, skip_host="Host" in (headers or {}))
        given = self.headers if headers is None else headers
        for name, value in given.items():
            line.putheader(name, value)
        if body is not None:
            line.putheader("Content-Length", str(len(body)))
        line.endheaders(body)
        answer = line.getresponse()
        content = answer.read()
        line.close()
        return answer, content

    def socket(self, **headers):
        from websockets.sync.client import connect

        given = {"Cookie": self.cookie} | headers
        origin = given.pop("Origin", self.origin)
        return connect(
            f"ws://{self.netloc}/api/socket",
            origin=origin,
            additional_headers=given,
            max_size=None,
            open_timeout=patient(30),
            ping_timeout=None,
        )


def serve(*options):
    process = subprocess.Popen(
        [sys.executable, "-m", "plica", "explore", "--no-browser", "--json", "--quiet", "--port", "0", *map(str, options)],
        stdout=subprocess.PIPE,
        text=True,
    )
    text = ""
    while True:
        line = process.stdout.readline()
        assert line, f"the server ended: {text}"
        text += line
        if line.startswith("}"):
            return Served(process, json.loads(text)["url"])


def end(served):
    served.process.terminate()
    try:
        served.process.wait(patient(10))
    finally:
        served.process.kill()
        served.process.stdout.close()


@pytest.fixture(scope="session")
def served():
    pytest.importorskip("fastapi")
    pytest.importorskip("uvicorn")
    server = serve("--max-seconds", patient(60))
    yield server
    end(server)


@pytest.fixture
def hasty():
    """A server that gives a job three seconds."""
    pytest.importorskip("fastapi")
    pytest.importorskip("uvicorn")
    server = serve("--max-seconds", 3)
    yield server
    end(server)
