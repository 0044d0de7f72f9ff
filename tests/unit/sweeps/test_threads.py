"""Each task has one thread, wherever it runs; afterwards everything is as before."""

import sys
import types

import pytest

from plica.sweeps._threads import limited_threads


@pytest.fixture
def torch(monkeypatch):
    fake = types.SimpleNamespace(n=4)
    fake.get_num_threads = lambda: fake.n
    fake.set_num_threads = lambda n: setattr(fake, "n", n)
    monkeypatch.setitem(sys.modules, "torch", fake)
    return fake


def test_torch_is_limited_and_restored_also_after_an_error(torch):
    with pytest.raises(ValueError), limited_threads(1):
        assert torch.n == 1
        raise ValueError
    assert torch.n == 4


def test_none_leaves_threads_alone(torch):
    with limited_threads(None):
        assert torch.n == 4


def test_without_threadpoolctl_torch_is_still_limited(torch, monkeypatch):
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    monkeypatch.setattr("plica.sweeps._threads._known", {})
    with limited_threads(2):
        assert torch.n == 2
    assert torch.n == 4
