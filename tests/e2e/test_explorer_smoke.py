"""The explorer in the browser that is there, without any driver: it opens, draws and takes one training step."""

import asyncio
import importlib.util
import json
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from patience import patient

pytest.importorskip("fastapi")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
READY = "document.documentElement.dataset.ready && globalThis.plica ? document.getElementById('count').textContent : ''"
AFTER = "document.getElementById('step').textContent"


@pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
def test_the_explorer_opens_draws_and_learns(tmp_path):
    path = Path(__file__).parent.parent / "unit" / "web" / "conftest.py"
    spec = importlib.util.spec_from_file_location("web_conftest", path)
    web = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(web)
    served = web.serve()
    browser = subprocess.Popen(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
         f"--user-data-dir={tmp_path}", "about:blank"],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        address = next(filter(None, (re.search(r"ws://\S+", line) for line in browser.stderr))).group()
        with ThreadPoolExecutor(1) as elsewhere:  # browser tests leave a running loop in this thread
            regions, step = elsewhere.submit(lambda: asyncio.run(_visit(address, served.url))).result()
    finally:
        browser.terminate()
        browser.wait(patient(10))
        browser.stderr.close()
        web.end(served)
    assert regions == "425" and step == "1"


async def _visit(address, url):
    from websockets.asyncio.client import connect

    async with connect(address, max_size=None) as line:
        numbers = iter(range(1, 10_000))

        async def call(method, session=None, **parameters):
            number = next(numbers)
            await line.send(
                json.dumps({"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {}))
            )
            while (answer := json.loads(await asyncio.wait_for(line.recv(), patient(30)))).get("id") != number:
                pass
            return answer.get("result", {})  # an error while the page is still being opened

        target = (await call("Target.createTarget", url=url))["targetId"]
        session = (await call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]

        async def until(expression, wanted):
            for _ in range(int(patient(300))):
                value = (await call("Runtime.evaluate", session, expression=expression)).get("result", {}).get("value")
                if wanted(value):
                    return value
                await asyncio.sleep(0.1)
            raise AssertionError(f"{expression}: {value!r}")

        regions = await until(READY, bool)
        await call("Runtime.evaluate", session, expression="document.getElementById('next').click()")
        return regions, await until(AFTER, lambda value: value == "1")
