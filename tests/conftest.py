"""One torch thread and no deadline: tests share the machine, and numba compiles on first use."""

import os
import signal

from hypothesis import HealthCheck, settings

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by torch when a test first imports it
os.environ.setdefault("MPLBACKEND", "agg")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: commands that tests interrupt would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("plica", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("plica")
