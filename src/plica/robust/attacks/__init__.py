"""Attacks on any torch module that maps a batch to scores: how small a change of the input changes the answer."""

from plica.robust.attacks._carlini_wagner import carlini_wagner
from plica.robust.attacks._deepfool import deepfool
from plica.robust.attacks._flow import flow_attack, flowed, roughness
from plica.robust.attacks._gradient import fgsm, pgd
from plica.robust.attacks._scores import margins
from plica.robust.attacks._spatial import ShiftRange, certified_shifts, rotated, spatial, translated
from plica.robust.attacks._universal import universal_perturbation

__all__ = [
    "ShiftRange",
    "carlini_wagner",
    "certified_shifts",
    "deepfool",
    "fgsm",
    "flow_attack",
    "flowed",
    "margins",
    "pgd",
    "rotated",
    "roughness",
    "spatial",
    "translated",
    "universal_perturbation",
]
