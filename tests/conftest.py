"""One torch thread and no deadline: tests share the machine, and numba compiles on first use."""

import os

from hypothesis import HealthCheck, settings

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by torch when a test first imports it
os.environ.setdefault("MPLBACKEND", "agg")

settings.register_profile("plica", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("plica")
