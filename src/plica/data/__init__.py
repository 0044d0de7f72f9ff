"""Data sets: embedded ones that need no files, and published ones read from files whose hashes are verified."""

from plica._deprecated import renamed
from plica.data._dataset import Dataset, LabeledGraph, Text, Translation
from plica.data._errors import DatasetDamaged, DatasetUnavailable, FetchFailed
from plica.data._fetch import fetch
from plica.data._load import load, names
from plica.data._scenes import Scenes, scenes
from plica.data._survey import Status, survey, verify

__all__ = [
    "Dataset",
    "DatasetDamaged",
    "DatasetUnavailable",
    "FetchFailed",
    "LabeledGraph",
    "Scenes",
    "Status",
    "Text",
    "Translation",
    "fetch",
    "load",
    "names",
    "scenes",
    "survey",
    "verify",
]

__getattr__ = renamed("plica.data", {"Graph": "LabeledGraph"})
