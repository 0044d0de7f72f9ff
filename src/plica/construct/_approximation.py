"""Certificates whose bound is the enclosure of the error itself."""

from __future__ import annotations

from typing import Any

from plica.construct._certificate import Certificate
from plica.construct._error import approximation_error
from plica.geometry import Domain
from plica.network import Network

SLACK = 1e-9  # relative, so that the bound can be found again by another way of computing it


def certified(network: Network, target: Any, domain: Domain, *, norm: str = "sup") -> Certificate:
    """A certificate for a network whose error no formula predicts: the error is enclosed, and the upper end is the bound."""
    error = approximation_error(network, target, domain, norm=norm)
    return Certificate(float(error.high) * (1 + SLACK), norm, domain, error.method, target, network)
