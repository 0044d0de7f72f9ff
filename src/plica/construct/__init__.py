"""Networks that proofs say exist, built with exact weights."""

from plica.construct._folding import folding, general_position, maxout_rosette, zonotope
from plica.construct._sawtooth import interpolant, sawtooth

__all__ = ["folding", "general_position", "interpolant", "maxout_rosette", "sawtooth", "zonotope"]
