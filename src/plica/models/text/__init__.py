"""Text as numbers: byte pairs, and which words of two languages translate each other."""

from plica.models.text._alignment import AlignmentModel
from plica.models.text._bpe import BytePairEncoding

__all__ = ["AlignmentModel", "BytePairEncoding"]
