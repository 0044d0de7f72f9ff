"""Training torch modules with their geometry in view: ``fit``, probes, optimizers written out, resumable checkpoints."""

from plica._torch_threads import one_thread
from plica.learn._batches import BatchSampler
from plica.learn._certified import CertifiedObjective, worst_scores
from plica.learn._crossings import crossing_penalty, pattern_penalty
from plica.learn._dense import Dense
from plica.learn._evaluate import Score, evaluate
from plica.learn._finite_sums import FiniteSum, saga, svrg
from plica.learn._fit import Fit, fit
from plica.learn._gap import GapReport, GapRow, generalization_gap
from plica.learn._generative import adversarial, denoising, negative_bound, reconstruction
from plica.learn._history import History
from plica.learn._losses import LOSSES
from plica.learn._modules import mlp
from plica.learn._objectives import Objective
from plica.learn._optimizers import SGD, AdaGrad, AdaGradNorm, Adam, AdamW, AMSGrad, Optimizer, RMSProp, make_optimizer
from plica.learn._probes import FoldDistance, Jacobians, Look, Measure, PathLength, Patterns, Probe, Regions
from plica.learn._run import Run
from plica.learn._schedules import stairs, warm_up
from plica.learn._settings import Settings
from plica.learn._stepper import Stepper
from plica.learn._watch import Watch, lightning_callback, to_tensorboard, to_wandb, trainer_callback

__all__ = [
    "LOSSES",
    "SGD",
    "AMSGrad",
    "AdaGrad",
    "AdaGradNorm",
    "Adam",
    "AdamW",
    "BatchSampler",
    "CertifiedObjective",
    "Dense",
    "FiniteSum",
    "Fit",
    "FoldDistance",
    "GapReport",
    "GapRow",
    "History",
    "Jacobians",
    "Look",
    "Measure",
    "Objective",
    "Optimizer",
    "PathLength",
    "Patterns",
    "Probe",
    "RMSProp",
    "Regions",
    "Run",
    "Score",
    "Settings",
    "Stepper",
    "Watch",
    "adversarial",
    "crossing_penalty",
    "denoising",
    "evaluate",
    "fit",
    "generalization_gap",
    "lightning_callback",
    "make_optimizer",
    "mlp",
    "negative_bound",
    "one_thread",
    "pattern_penalty",
    "reconstruction",
    "saga",
    "stairs",
    "svrg",
    "to_tensorboard",
    "to_wandb",
    "trainer_callback",
    "warm_up",
    "worst_scores",
]
