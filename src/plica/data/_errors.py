"""What goes wrong with data sets: absent, damaged, or not to be had from any mirror."""

from __future__ import annotations

from plica.errors import PlicaError


class DatasetUnavailable(PlicaError):
    """A data set that is nowhere on this machine; the message lists where it was looked for and what would supply it."""


class DatasetDamaged(PlicaError):
    """A file of a data set whose contents are not the published ones."""


class FetchFailed(PlicaError):
    """No mirror gave the published file; the message says what each of them did."""
