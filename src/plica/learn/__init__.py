"""Training torch modules with their geometry in view: ``fit``, probes, optimizers written out, resumable checkpoints."""

from plica.learn._crossings import crossing_penalty, pattern_penalty
from plica.learn._evaluate import Score, evaluate
from plica.learn._fit import Fit, fit
from plica.learn._gap import GapReport, GapRow, generalization_gap
from plica.learn._history import History
from plica.learn._modules import mlp
from plica.learn._optimizers import SGD, AdaGrad, AdaGradNorm, Adam, AdamW, Optimizer, RMSProp
from plica.learn._probes import FoldDistance, Jacobians, Look, Measure, PathLength, Patterns, Probe, Regions
from plica.learn._run import Run
from plica.learn._schedules import stairs
from plica.learn._settings import Settings
from plica.learn._threads import one_thread

__all__ = [
    "SGD",
    "AdaGrad",
    "AdaGradNorm",
    "Adam",
    "AdamW",
    "Fit",
    "FoldDistance",
    "GapReport",
    "GapRow",
    "History",
    "Jacobians",
    "Look",
    "Measure",
    "Optimizer",
    "PathLength",
    "Patterns",
    "Probe",
    "RMSProp",
    "Regions",
    "Run",
    "Score",
    "Settings",
    "crossing_penalty",
    "evaluate",
    "fit",
    "generalization_gap",
    "mlp",
    "one_thread",
    "pattern_penalty",
    "stairs",
]
