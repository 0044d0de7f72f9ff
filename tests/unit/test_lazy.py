"""Properties that are computed once hold no lock: functools' do in Python 3.11."""

import re
import threading
from pathlib import Path

import plica
from plica._lazy import cached_property


class Slow:
    started, go = threading.Event(), threading.Event()

    def __init__(self, waits):
        self.waits = waits

    @cached_property
    def value(self):
        """A value."""
        if self.waits:
            Slow.started.set()
            Slow.go.wait(60)
        return object()


def test_two_instances_are_computed_at_the_same_time():
    slow, quick = Slow(True), Slow(False)
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    assert Slow.started.wait(60)
    assert quick.value is quick.value  # while the other one is being computed
    Slow.go.set()
    thread.join()
    assert slow.value is slow.value
    assert Slow.value.__doc__ == "A value."


def test_no_module_uses_the_one_that_locks():
    pattern = re.compile(r"from functools import .*\bcached_property|functools\.cached_property(?!`)")
    files = [p for p in Path(plica.__file__).parent.rglob("*.py") if p.name != "_lazy.py"]
    assert [p.name for p in files if pattern.search(p.read_text(encoding="utf-8"))] == []
