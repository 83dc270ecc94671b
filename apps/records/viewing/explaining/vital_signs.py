"""Vital signs."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SAID: Final[Mapping[str, Promise]] = {
    "blood-pressure": _(
        "How hard blood pushes against the walls of the arteries. The upper number is the pressure while the heart "
        "beats, the lower one the pressure while it rests between beats."
    ),
    "systolic": _("How hard blood pushes against the walls of the arteries while the heart beats."),
    "diastolic": _("How hard blood pushes against the walls of the arteries while the heart rests between beats."),
    "mean-pressure": _("The average pressure in the arteries over whole heartbeats."),
    "heart-rate": _("How many times the heart beats in one minute."),
    "oxygen": _(
        "How much of the hemoglobin in blood carries oxygen, in percent. It is usually measured with a clip on a "
        "finger."
    ),
    "breathing-rate": _("How many breaths are taken in one minute."),
    "bmi": _(
        "Weight compared with height: kilograms divided by the square of the height in meters. It does not show how "
        "much is muscle and how much is fat."
    ),
    "bmi-percentile": _(
        "A child's body mass index compared with children of the same age and sex. At the 60th percentile, 60 of 100 "
        "have a lower one."
    ),
    "weight-for-length": _(
        "A small child's weight compared with children of the same length and sex. At the 60th percentile, 60 of 100 "
        "weigh less."
    ),
    "head-size": _("The distance around a child's head at its widest. It shows how the head grows."),
    "head-percentile": _(
        "The size of a child's head compared with children of the same age and sex. At the 60th percentile, 60 of 100 "
        "have a smaller one."
    ),
    "pain": _("How strong a pain is for the person who has it, usually from 0 (none) to 10 (the worst)."),
    "peak-flow": _("The fastest speed at which a person can blow air out."),
    "fev1": _("How much air a person can blow out in the first second of a strong breath."),
    "fvc": _("How much air a person can blow out in total after breathing in deeply."),
    "fev1-share": _("How much of a strong breath is out after the first second."),
    "pregnancy-length": _(
        "How far along a pregnancy is, usually counted in weeks from the first day of the last period."
    ),
    "womb-height": _("The distance from the pubic bone to the top of the womb. It shows how the womb grows."),
}
