"""Hormones and related tests."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SAID: Final[Mapping[str, Promise]] = {
    "tsh": _("A hormone from a gland below the brain. It tells the thyroid how much of its own hormones to make."),
    "free-t4": _(
        "The main hormone of the thyroid, which sets how fast the body uses energy. This is the part that no protein "
        "holds."
    ),
    "t4": _(
        "The main hormone of the thyroid, which sets how fast the body uses energy. This is all of it in the blood."
    ),
    "free-t3": _(
        "The strongest hormone of the thyroid, which sets how fast the body uses energy. This is the part that no "
        "protein holds."
    ),
    "t3": _(
        "The strongest hormone of the thyroid, which sets how fast the body uses energy. This is all of it in the "
        "blood."
    ),
    "thyroid-antibodies": _(
        "Antibodies against an enzyme of the body's own thyroid. Some people have them without any illness."
    ),
    "thyroglobulin": _("A protein that only the thyroid makes. The thyroid makes its hormones from it."),
    "parathyroid": _(
        "A hormone from four small glands beside the thyroid. It controls how much calcium is in the blood."
    ),
    "cortisol": _(
        "A hormone from the glands above the kidneys that helps the body under stress. There is more of it in the "
        "morning than in the evening."
    ),
    "lh": _("A hormone from a gland below the brain. It controls the ovaries and testicles, and starts ovulation."),
    "fsh": _("A hormone from a gland below the brain. It makes egg cells grow, and helps the body make sperm."),
    "estradiol": _("The main estrogen, a sex hormone that mostly comes from ovaries. It changes through the cycle."),
    "progesterone": _(
        "A hormone that mostly comes from ovaries after ovulation, and there is much of it in pregnancy."
    ),
    "testosterone": _(
        "A sex hormone that comes from testicles and, in smaller amounts, from ovaries and other glands."
    ),
    "free-testosterone": _("The part of testosterone, a sex hormone, that no protein in blood holds."),
    "sex-hormone-carrier": _("A protein from the liver that carries sex hormones in blood."),
    "prolactin": _("A hormone from a gland below the brain that makes breasts give milk."),
    "pregnancy-hormone": _(
        "A hormone that the body makes from the first weeks of pregnancy on. Pregnancy tests look for it."
    ),
}
