"""Recurrent sequence models: encoder-decoders with and without attention, and pointer networks.

- :class:`Seq2Seq`: RNN, GRU or LSTM, stacked, with a bidirectional encoder if wanted; the decoder sees the last state of the
  encoder once, at every step, or attends to all of its states (additive, multiplicative, dot).
- :class:`PointerNetwork`: the weights of additive attention are the output, a position of the input.
- :func:`lstm_steps`: the equations of an LSTM, with its gates.
"""

from plica.models.recurrent._lstm import LSTMStep, lstm_steps
from plica.models.recurrent._pointer import PointerConfig, PointerNetwork
from plica.models.recurrent._seq2seq import Seq2Seq, Seq2SeqConfig, Seq2SeqState

__all__ = ["LSTMStep", "PointerConfig", "PointerNetwork", "Seq2Seq", "Seq2SeqConfig", "Seq2SeqState", "lstm_steps"]
