"""Writing sequences with a model that continues them: greedily, at random, or with a beam.

A model is :class:`Decodable` when it has ``begin(source)``, which gives the first tokens and a state, and
``advance(tokens, state)``, which gives the logits of the next tokens and the new state. The state is the cache: no token is
computed twice.
"""

from plica.models.decoding._search import Decodable, Decoded, beam, greedy, sample

__all__ = ["Decodable", "Decoded", "beam", "greedy", "sample"]
