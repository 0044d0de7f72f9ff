"""Networks in a notebook: the explorer's plane as a widget."""

from plica.notebook._explore import explore

__all__ = ["explore"]
