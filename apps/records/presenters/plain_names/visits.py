"""Common kinds of visits, by their codes in SNOMED CT ((c) SNOMED International). The names are ours.

Pages show beside the name whether it was a visit, a stay or a call, so codes that say only that are not here.
"""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters.plain_names.name import PlainName


def _visit(key: str, words: Promise, snomed: str, *terms: str) -> PlainName:
    return PlainName(f"visit-{key}", words, terms, snomed=tuple(snomed.split()))


VISITS: Final[tuple[PlainName, ...]] = (
    _visit("check-up", _("Checkup"), "185349003 162673000", "encounter for check up", "physical"),
    _visit("child", _("Checkup for a child"), "410620009", "well child visit"),
    _visit("symptom", _("Because of a symptom"), "185345009", "encounter for symptom"),
    _visit("problem", _("Because of a health problem"), "185347001", "encounter for problem"),
    _visit("follow-up", _("To see how you are doing (follow-up)"), "390906007", "follow-up encounter"),
    _visit("after-operation", _("Checkup after an operation"), "439740005", "postoperative follow-up visit"),
    _visit("pregnancy", _("Checkup in pregnancy"), "424441002 424619006", "prenatal visit"),
    _visit("after-birth", _("Checkup after giving birth"), "169762003", "postnatal visit"),
)
