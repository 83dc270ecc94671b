"""Reactions to an allergy in plain words, where the provider's are for clinicians (patient experience 3.2).

Only if the whole text is a known term: "no rash" contains another word. The provider's words are shown beside ours.
"""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from msgspec.structs import replace

from apps.records.presenters.allergies import Reaction
from apps.records.viewing.wording import snomed_kinds

_HIVES, _RASH, _SWELLING, _ITCHING = _("Hives"), _("Rash"), _("Swelling"), _("Itching")
_NOSE, _EYES = _("Runny or stuffy nose"), _("Red, watery eyes")
_VOMITING, _WHOLE_BODY, _BREATH = _("Vomiting"), _("Sudden reaction of the whole body"), _("Shortness of breath")
_IN_PLAIN_WORDS: Final[Mapping[str, Promise]] = {
    "hives": _HIVES, "wheal": _HIVES, "weal": _HIVES, "urticaria": _HIVES,
    "rash": _RASH, "eruption": _RASH, "eruption of skin": _RASH, "skin eruption": _RASH, "exanthema": _RASH,
    "angioedema": _("Swelling under the skin"), "edema": _SWELLING, "oedema": _SWELLING,
    "swelling": _SWELLING, "itching": _ITCHING, "pruritus": _ITCHING, "pruritic rash": _("Itching rash"),
    "erythema": _("Red skin"),
    "dermatitis": _("Inflamed skin"), "contact dermatitis": _("Inflamed skin"),
    "rhinitis": _NOSE, "allergic rhinitis": _NOSE, "rhinorrhea": _("Runny nose"), "nasal congestion": _("Stuffy nose"),
    "conjunctivitis": _EYES, "allergic conjunctivitis": _EYES, "epiphora": _("Watery eyes"),
    "anaphylaxis": _WHOLE_BODY, "anaphylactic reaction": _WHOLE_BODY,
    "shortness of breath": _BREATH, "dyspnea": _BREATH, "dyspnoea": _BREATH, "bronchospasm": _("Tight airways"),
    "vomiting": _VOMITING, "emesis": _VOMITING, "syncope": _("Fainting"), "tachycardia": _("Fast heartbeat"),
    "arthralgia": _("Joint pain"), "myalgia": _("Muscle pain"),
}  # fmt: skip


def of(reaction: Reaction) -> Reaction:
    """The same reaction in plain words."""
    return replace(reaction, manifestations=tuple(map(_plainly, reaction.manifestations)))


def _plainly(sent: str) -> str:
    theirs = snomed_kinds.without(sent)
    ours = _IN_PLAIN_WORDS.get(" ".join(theirs.casefold().split()))
    return sent if ours is None or str(ours).casefold() == theirs.casefold() else f"{ours} ({theirs})"
