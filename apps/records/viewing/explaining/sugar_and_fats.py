"""Sugar and fats in blood, and what carries and regulates them."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SAID: Final[Mapping[str, Promise]] = {
    "a1c": _(
        "Sugar in blood sticks to the hemoglobin in red blood cells. How much has stuck shows how much sugar there was "
        "on average, over the last two to three months."
    ),
    "glucose": _(
        "Glucose is the sugar that the body uses for energy. The test shows how much there was in the blood at that "
        "moment."
    ),
    "fasting-glucose": _("How much sugar there is in the blood after at least eight hours without food."),
    "fasting-glucose-by-meter": _(
        "How much sugar there is in the blood after at least eight hours without food, measured in a drop by a meter."
    ),
    "glucose-after-1-hour": _(
        "How much sugar there is in the blood one hour after a sugar drink. It shows how the body handles sugar."
    ),
    "glucose-after-2-hours": _(
        "How much sugar there is in the blood two hours after a sugar drink. It shows how the body handles sugar."
    ),
    "insulin": _("A hormone from the pancreas that lets cells take up sugar from the blood."),
    "c-peptide": _(
        "A piece of protein that is left over whenever the pancreas makes insulin. It shows how much insulin the body "
        "makes on its own."
    ),
    "lipids": _("A group of tests of fats in the blood: cholesterol in several carriers, and triglycerides."),
    "cholesterol": _(
        "Cholesterol is a fatty material that the body needs to build cells. This is all of it in the blood, whatever "
        "carries it."
    ),
    "ldl": _("The cholesterol in LDL, a carrier that brings it from the liver to the rest of the body."),
    "hdl": _("The cholesterol in HDL, a carrier that brings it back to the liver."),
    "non-hdl": _("All cholesterol in blood except what is in HDL: total cholesterol minus HDL cholesterol."),
    "cholesterol-ratio": _("Total cholesterol divided by HDL cholesterol."),
    "triglycerides": _("The fats in which the body stores energy. There are more of them for hours after a meal."),
    "vldl": _(
        "The cholesterol in VLDL, a carrier that brings mostly triglycerides from the liver to the rest of the body. "
        "It is usually calculated from the triglycerides."
    ),
    "apolipoprotein-b": _(
        "A protein of the carriers that bring cholesterol to the body. Each carrier has one, so it shows how many "
        "there are."
    ),
    "lipoprotein-a": _(
        "A carrier of cholesterol that is much like LDL. How much of it a person has is mostly inherited."
    ),
}
