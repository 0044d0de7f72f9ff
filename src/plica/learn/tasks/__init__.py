"""Tasks to train and use: characters, translation, digits, nodes of a graph, regions of the plane.

:func:`train_task` trains one of them in a folder, resumable; :func:`continued`, :func:`translated` and :func:`attention_maps` use
what was trained. The parts, batches of a corpus, windows of a text, BLEU, are there for experiments of one's own.
"""

from plica.learn.tasks._chars import held_out_loss, next_character_loss, windows
from plica.learn.tasks._nodes import Nodes, cora, node_accuracy, planted_partition, without_edges
from plica.learn.tasks._prepare import TASKS, Prepared
from plica.learn.tasks._recipe import CHECKPOINTS, Recipe, losses, train
from plica.learn.tasks._translation import (
    END,
    PADDING,
    START,
    Batches,
    Bleu,
    Corpus,
    bleu,
    multi30k,
    padded,
    smoothed_loss,
    train_translator,
    translate,
)
from plica.learn.tasks._use import Map, alphabet_of, attention_maps, continued, translated
from plica.learn.tasks._work import Work, read_settings, train_task, trained_model

__all__ = [
    "CHECKPOINTS",
    "END",
    "PADDING",
    "START",
    "TASKS",
    "Batches",
    "Bleu",
    "Corpus",
    "Map",
    "Nodes",
    "Prepared",
    "Recipe",
    "Work",
    "alphabet_of",
    "attention_maps",
    "bleu",
    "continued",
    "cora",
    "held_out_loss",
    "losses",
    "multi30k",
    "next_character_loss",
    "node_accuracy",
    "padded",
    "planted_partition",
    "read_settings",
    "smoothed_loss",
    "train",
    "train_task",
    "train_translator",
    "trained_model",
    "translate",
    "translated",
    "windows",
    "without_edges",
]
