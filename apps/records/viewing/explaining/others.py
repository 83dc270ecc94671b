"""Urine, germs, and other tests."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SAID: Final[Mapping[str, Promise]] = {
    "urine": _("A group of tests of urine: how it looks, what is dissolved in it, and often which cells it has."),
    "urine-color": _("Food, drink and some medicines change the color of urine."),
    "urine-look": _("Whether urine is clear or cloudy."),
    "urine-density": _("How much is dissolved in urine, compared with water. It depends on how much a person drinks."),
    "urine-acidity": _("How acidic urine is. Food and some medicines change it."),
    "urine-sugar": _("Whether there is sugar in urine. Kidneys take back nearly all of it up to a point."),
    "urine-protein": _("Whether there is protein in urine. The filters in the kidneys hold most of it back."),
    "urine-ketones": _(
        "What the body makes when it burns fat instead of sugar, for example when a person does not eat."
    ),
    "urine-bilirubin": _(
        "The yellow waste from old red blood cells, which mostly leaves in the bile. The test looks for it in urine."
    ),
    "urine-blood": _("Whether there is blood in urine, or its red pigment, even if it cannot be seen."),
    "urine-nitrite": _("Many germs in urine make nitrite. The test looks for that, and not for the germs themselves."),
    "urine-white-cells": _(
        "Whether there are white blood cells in urine, which fight germs, or an enzyme that they make."
    ),
    "urine-red-cells": _("How many red blood cells are seen in urine through a microscope."),
    "urine-lining-cells": _(
        "How many cells from the skin or the lining of the bladder are seen in urine through a microscope."
    ),
    "urine-bacteria": _("How many bacteria are seen in urine through a microscope. Some may come from the skin."),
    "urine-urobilinogen": _(
        "What the gut makes from bilirubin, the yellow waste from old red blood cells. A little of it leaves in urine."
    ),
    # Germs
    "urine-culture": _(
        "The lab checks whether germs grow from the urine, which germs they are, and often which medicines stop them."
    ),
    "blood-culture": _(
        "The lab checks whether germs grow from the blood, which germs they are, and often which medicines stop them."
    ),
    "covid": _("Whether there are parts of the virus that causes COVID-19 in the sample."),
    "hiv": _("Whether there are antibodies against HIV, or a part of that virus, in the blood."),
    "hepatitis-b": _("Whether there is a protein from the surface of the hepatitis B virus in the blood."),
    "hepatitis-c": _(
        "Whether there are antibodies against the hepatitis C virus in the blood. They stay even after the virus "
        "is gone."
    ),
    "culture": _("Whether germs grow from a sample, and which ones. This takes a few days."),
    # Others
    "heart-tracing": _("A drawing of the electrical signals that make the heart beat, recorded through the skin."),
    "tissue-exam": _("A small piece of the body, looked at under a microscope."),
    "psa": _(
        "A protein that the prostate makes. How much there is in the blood also depends on age and on the size of the "
        "prostate."
    ),
    "stool-blood": _("Whether there is a little blood in the stool that cannot be seen."),
}
