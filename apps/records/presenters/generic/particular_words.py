"""The kinds of particulars of a resource without a presenter of its own (`particulars`), and their labels."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class What(StrEnum):
    """The kinds of particulars."""

    RULED_OUT = "ruled-out"
    FOUND = "found-in-it"
    RESOLVED = "resolved-in-it"
    SUMMARY = "summary"
    OUTLOOK = "outlook"
    FOODS_TO_LEAVE_OUT = "foods-to-leave-out"
    FOOD_PREFERENCES = "food-preferences"
    DIET = "diet"
    TEXTURE = "texture"
    FLUIDS = "fluids"
    NUTRIENTS = "nutrients"
    SUPPLEMENTS = "supplements"
    TUBE_FEEDING = "tube-feeding"
    INSTRUCTIONS = "instructions"
    WHY = "why-it-stands-so"
    ABOUT = "about"
    REASONS = "reasons"
    BODY_SITES = "body-sites"
    GIVEN = "given"
    GIVEN_HOW = "given-how"
    SUSPECTED = "suspected"
    CAME_OF_IT = "came-of-it"
    CONCERNS = "concerns"
    DETAIL = "detail"
    DONE_ABOUT_IT = "done-about-it"
    MESSAGE = "message"
    RISKS = "risks"
    EMPTY_BECAUSE = "empty-because"
    MODE = "mode"
    ON_IT = "on-it"
    TAKEN_OFF = "taken-off"
    HAS = "has"
    HAS_NOT = "has-not"
    ALLOWS = "allows"
    DENIES = "denies"
    HOW_SERIOUS = "how-serious"
    IN_FORCE = "in-force"
    NOT_COVERED = "not-covered"
    DOSE = "dose-counts"
    DOSE_NUMBER = "dose-number"
    RULE = "rule"
    VERIFIED = "verified"
    COVERS = "covers"
    USE = "use"
    LINES = "lines"
    AMOUNTS = "amounts"
    TOTAL_NET = "total-net"
    TOTAL = "total"
    COVERED = "covered"
    BALANCE = "balance"
    HOW_IT_STANDS = "how-it-stands"
    PAID = "paid"
    NEEDS_APPROVAL = "needs-approval"
    RECIPIENTS = "recipients"
    KIND = "kind"
    MACHINE = "machine"
    IMAGES = "images"
    DONE = "done"
    PLANNED = "planned"
    LOWERED_BY = "lowered-by"
    SUPPLIED = "supplied"
    TUBE_MOST = "tube-most"
    ALLERGIES = "allergies-to-heed"
    HOLDS = "holds"
    URGENCY = "urgency"
    LOOKED_AT = "looked-at"
    SENT_WITH_IT = "sent-with-it"
    MEDIUM = "medium"
    WHERE = "where"
    SERIES = "series"
    VIEW = "view"
    MADE_WITH = "made-with"
    GROUP = "group"
    ASSIGNED = "assigned"
    DIAGNOSES = "diagnoses"
    PAYERS = "payers"
    ALLOWED = "allowed-by-the-plan"
    USED = "used-so-far"


# Particulars without which a row would be misunderstood.
TURNING: Final = frozenset(
    {
        What.RULED_OUT, What.FOODS_TO_LEAVE_OUT, What.EMPTY_BECAUSE, What.TAKEN_OFF, What.HAS_NOT, What.DENIES,
        What.IN_FORCE, What.NOT_COVERED, What.DOSE, What.MODE, What.ABOUT,
        What.SUSPECTED, What.CONCERNS, What.COVERS, What.USE, What.RULE, What.VERIFIED, What.HOW_IT_STANDS,
    }
)  # fmt: skip

# Particulars that become keys of `WORDS` if they were sent as codes; all others are in the provider's words only.
KEYED: Final = frozenset(
    {
        What.ABOUT,
        What.EMPTY_BECAUSE,
        What.MODE,
        What.HOW_SERIOUS,
        What.IN_FORCE,
        What.DOSE,
        What.USE,
        What.MACHINE,
        What.URGENCY,
        What.RULE,
        What.VERIFIED,
        What.HOW_IT_STANDS,
    }
)

LABELS: Final[Mapping[What, str | Promise]] = {
    What.RULED_OUT: _("Ruled out"),
    What.FOUND: _("What was found"),
    What.RESOLVED: _("No longer a problem"),
    What.SUMMARY: _("In short"),
    What.OUTLOOK: _("Outlook"),
    What.FOODS_TO_LEAVE_OUT: _("Foods to avoid"),
    What.FOOD_PREFERENCES: _("Food preferences"),
    What.DIET: _("Diet"),
    What.TEXTURE: _("How food is prepared"),
    What.FLUIDS: _("How thick drinks are"),
    What.NUTRIENTS: _("Nutrients"),
    What.SUPPLEMENTS: _("Supplements"),
    What.TUBE_FEEDING: _("Tube feeding"),
    What.INSTRUCTIONS: _("Instructions"),
    What.WHY: _("Reason for this status"),
    What.ABOUT: _("What it is about"),
    What.REASONS: _("Why"),
    What.BODY_SITES: _("Body site"),
    What.GIVEN: _("Amount"),
    What.GIVEN_HOW: _("How it was given"),
    What.SUSPECTED: _("Suspected cause"),
    What.CAME_OF_IT: _("Outcome"),
    What.CONCERNS: _("What it is about"),
    What.DETAIL: _("Details"),
    What.DONE_ABOUT_IT: _("What was done about it"),
    What.MESSAGE: _("Message"),
    What.RISKS: _("Risk"),
    What.EMPTY_BECAUSE: _("Why it is empty"),
    What.MODE: _("What it lists"),
    What.ON_IT: _("On it"),
    What.TAKEN_OFF: _("Removed from it"),
    What.HAS: _("Who belongs to it"),
    What.HAS_NOT: _("Who does not belong to it"),
    What.ALLOWS: _("An exception: allowed"),
    What.DENIES: _("An exception: not allowed"),
    What.HOW_SERIOUS: _("How serious"),
    What.IN_FORCE: _("Insurance"),
    What.NOT_COVERED: _("Not covered"),
    What.DOSE: _("The dose"),
    What.DOSE_NUMBER: _("Dose"),
    What.RULE: _("What it follows"),
    What.VERIFIED: _("Confirmed with the person who agreed"),
    What.COVERS: _("What it covers"),
    What.USE: _("What it is"),
    What.LINES: _("What it is for"),
    What.AMOUNTS: _("Amounts"),
    What.TOTAL_NET: _("Total without taxes"),
    What.TOTAL: _("Total"),
    What.COVERED: _("Covered by the insurance"),
    What.BALANCE: _("Balance"),
    What.HOW_IT_STANDS: _("Where it stands now"),
    What.PAID: _("Paid"),
    What.NEEDS_APPROVAL: _("Needs approval first"),
    What.RECIPIENTS: _("Sent to"),
    What.KIND: _("Kind"),
    What.MACHINE: _("Kind"),
    What.IMAGES: _("Number of images"),
    What.DONE: _("What was done"),
    What.PLANNED: _("What is planned"),
    What.LOWERED_BY: _("What can lower the risk"),
    What.SUPPLIED: _("What and how much"),
    What.TUBE_MOST: _("At most through the tube"),
    What.ALLERGIES: _("Allergies to keep in mind"),
    What.HOLDS: _("What is in it"),
    What.URGENCY: _("How soon"),
    What.LOOKED_AT: _("What was looked at"),
    What.SENT_WITH_IT: _("Sent with it"),
    What.MEDIUM: _("By way of"),
    What.WHERE: _("Where"),
    What.SERIES: _("What the images are of"),
    What.VIEW: _("View"),
    What.MADE_WITH: _("Made with"),
    What.GROUP: _("Group in the study"),
    What.ASSIGNED: _("Group they were assigned to"),
    What.DIAGNOSES: _("Diagnoses"),
    What.PAYERS: _("Who pays"),
    What.ALLOWED: _("What the plan allows"),
    What.USED: _("Used so far"),
}
WORDS: Final[Mapping[str, str | Promise]] = {
    "nilknown": _("None are known"),
    "notasked": _("No one asked"),
    "withheld": _("Held back"),
    "unavailable": _("Not available"),
    "notstarted": _("Not started yet"),
    "closed": _("Closed"),
    "changes": _("Only what changed"),
    "high": _("High"),
    "moderate": _("Moderate"),
    "low": _("Low"),
    "valid": _("Counts"),
    "notvalid": _("Does not count"),
    "not-in-force": _("Not in force"),
    "optin": _("Agreed (opt-in)"),
    "optinr": _("Agreed, with limits (opt-in)"),
    "optout": _("Refused (opt-out)"),
    "optoute": _("Refused, with exceptions (opt-out)"),
    "not-verified": _("Not yet"),
    "preauthorization": _("A question about whether it will be paid, not a bill"),
    "predetermination": _("An estimate, not a bill"),
    "proposed": _("A question about whether it will be paid, not a bill"),
    "exploratory": _("An estimate, not a bill"),
    # How far an insurance processed a bill (ClaimResponse.outcome); a bill that is done needs no word.
    "outcome-error": _("Could not be processed"),
    "outcome-partial": _("Processed in part"),
    "outcome-queued": _("Not yet processed"),
    "urgent": _("Urgent"),
    "asap": _("As soon as possible"),
    "stat": _("Right away"),
    "patient-privacy": _("Who may see what is written about you"),
    "treatment": _("Treatment"),
    "research": _("Research"),
    "adr": _("Your wishes for a time when you cannot decide"),
    # DICOM's codes for the machine that made an image, which many servers send without a display (PS3.3, C.7.3.1.1.1).
    "image-cr": _("X-ray"),
    "image-ct": _("CT scan"),
    "image-dx": _("X-ray"),
    "image-es": _("Endoscopy"),
    "image-io": _("X-ray of the teeth"),
    "image-mg": _("Mammogram"),
    "image-mr": _("MRI scan"),
    "image-nm": _("Nuclear medicine scan"),
    "image-op": _("Photo of the eye"),
    "image-opt": _("Layered image of the eye (OCT)"),
    "image-pt": _("PET scan"),
    "image-px": _("Panoramic X-ray of the teeth"),
    "image-rf": _("Moving X-ray"),
    "image-us": _("Ultrasound"),
    "image-xa": _("X-ray of blood vessels"),
}
