"""Whose turn it is after a step of a trial failed."""

from dataclasses import dataclass

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Turn(models.TextChoices):
    """Who can change the outcome."""

    STAFF = "staff", _("Your turn")
    PROVIDER = "provider", _("Their turn")
    WAIT = "wait", _("Wait, then try again")
    US = "us", _("Ours to fix: tell the developers")


@dataclass(frozen=True)
class Failure:
    """What happened, whose turn it is, and what to do."""

    sentence: str | Promise
    turn: Turn
    advice: str | Promise = ""
