"""Text as numbers."""

from plica.models.text._bpe import BytePairEncoding

__all__ = ["BytePairEncoding"]
