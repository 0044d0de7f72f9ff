"""What would be left half done waits for its end before an interrupt comes."""

import signal
import subprocess
import sys

import pytest
from patience import patient

from plica._interrupts import interrupts_wait

pytestmark = pytest.mark.skipif(not hasattr(signal, "raise_signal"), reason="needs signals")


@pytest.fixture(autouse=True)
def _ctrl_c_of_python():
    """Whatever other tests' libraries made of it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_comes_once_after_the_work_and_its_handler_is_back():
    done = []
    with pytest.raises(KeyboardInterrupt), interrupts_wait():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        done.append("all")
    assert done == ["all"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with interrupts_wait():
        done.append("again")


def test_an_error_inside_is_not_hidden_where_nobody_interrupts():
    with pytest.raises(ValueError, match="no"), interrupts_wait():
        raise ValueError("no")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


IMPORTING = """
import signal, sys
import plica

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "torch.distributions":
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
net = plica.random_network([2, 8, 3], seed=0)
try:
    plica.robust.class_distance(net, [0.1, 0.2])
    print("not interrupted")
except KeyboardInterrupt:
    print(plica.robust.class_distance(net, [0.1, 0.2]).upper > 0)
"""


def test_after_an_interrupt_of_the_first_distance_the_next_one_is_found():
    """Half of torch cannot be imported again."""
    pytest.importorskip("torch")
    done = subprocess.run([sys.executable, "-c", IMPORTING], capture_output=True, text=True, check=False, timeout=patient(120))
    assert done.stdout.split() == ["True"], done.stderr
