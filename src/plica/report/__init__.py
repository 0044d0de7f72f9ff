"""One self-contained HTML file: the picture, the numbers and what kind of numbers they are."""

from plica.report._attention import attention_page
from plica.report._complex import complex_page
from plica.report._demo import Command, Moment, demo_page
from plica.report._found import Found, found_of, run_claim
from plica.report._latent import latent_figure
from plica.report._lecture import lecture_page
from plica.report._model import model_page, model_sections
from plica.report._model_parts import Parts
from plica.report._model_section import Section
from plica.report._model_task import Task
from plica.report._scoreboard import scoreboard_page
from plica.report._training import training_page

__all__ = [
    "Command",
    "Found",
    "Moment",
    "Parts",
    "Section",
    "Task",
    "attention_page",
    "complex_page",
    "demo_page",
    "found_of",
    "latent_figure",
    "lecture_page",
    "model_page",
    "model_sections",
    "run_claim",
    "scoreboard_page",
    "training_page",
]
