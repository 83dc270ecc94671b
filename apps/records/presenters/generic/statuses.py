"""The status of a resource whose type has no presenter of its own.

Most types use the same word for the same status. A type in which a word means something else, or that has words of its
own, has a table of its own here (the value sets of FHIR DSTU2 1.0.2 and R4 4.0.1).
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN
from apps.records.presenters.heads import is_suggested, mapped, status_codes

_ELEMENTS: Final = ("status", "clinicalStatus", "lifecycleStatus", "state", "active", "orderStatus")


class Group(StrEnum):
    """The groups of the list. Only what is plainly over is past. No group is "current": we know what that means only
    for types with a presenter, and a dose given years ago is `completed`."""

    LISTED = "listed"
    PAST = "past"


class Status(StrEnum):
    """Status words that several types share, and those of single types. NONE is not shown: the status is the normal
    one, or the type has no status."""

    NONE = ""
    NOT_FINAL = "not-final"
    CURRENT = "current"
    DENYING = "denying"
    DENYING_BUT = "denying-but"
    ALLOWING_BUT = "allowing-but"
    NOT_TO_BE_DONE = "not-to-be-done"
    WAS_NOT_TO_BE_DONE = "was-not-to-be-done"
    POTENTIAL = "potential"
    SUGGESTED = "suggested"
    AGREED = "agreed"
    PERHAPS = "perhaps"
    DECLINED = "declined"
    PLANNED = "planned"
    WAITING = "on-the-waiting-list"
    PAUSED = "paused"
    DONE = "done"
    CHANGED = "changed"
    FAILED = "failed"
    STOPPED = "stopped"
    NOT_DONE = "not-done"
    CANCELED = "canceled"
    PAST = "past"
    TO_BE_BILLED = "to-be-billed"
    NOT_BILLED = "not-billed"
    BILLED = "billed"
    SENT_OUT = "sent-out"
    SETTLED = "settled"
    MAY_TAKE_PART = "may-take-part"
    SCREENED = "screened"
    CAN_TAKE_PART = "can-take-part"
    CANNOT_TAKE_PART = "cannot-take-part"
    NOT_SIGNED_UP = "not-signed-up"
    SIGNED_UP = "signed-up"
    TAKES_PART = "takes-part"
    FOLLOWED_UP = "followed-up"
    TOOK_PART = "took-part"
    WITHDREW = "withdrew"


_WORDS: Final[Mapping[str, Status]] = {
    **dict.fromkeys(
        ("draft", "proposed", "preliminary", "registered", "pending", "review", "entered"), Status.NOT_FINAL
    ),
    **dict.fromkeys(
        ("active", "current", "in-progress", "available", "received", "accepted", "ready", "true"), Status.CURRENT
    ),
    **dict.fromkeys(("planned", "requested", "scheduled", "preparation", "intended"), Status.PLANNED),
    "waitlist": Status.WAITING,
    **dict.fromkeys(("on-hold", "onhold", "suspended", "onleave"), Status.PAUSED),
    **dict.fromkeys(("completed", "complete", "finished", "done"), Status.DONE),
    "final": Status.NONE,  # not "done": an alert that is final may still apply
    **dict.fromkeys(("amended", "appended", "corrected"), Status.CHANGED),
    **dict.fromkeys(("stopped", "revoked", "aborted", "abandoned"), Status.STOPPED),
    **dict.fromkeys(("rejected", "declined"), Status.DECLINED),
    **dict.fromkeys(("failed", "failure", "error"), Status.FAILED),
    "not-done": Status.NOT_DONE,
    **dict.fromkeys(("cancelled", "replaced"), Status.CANCELED),  # OrderResponse: replaced by another order
    **dict.fromkeys(
        ("inactive", "resolved", "retired", "superseded", "ended", "terminated", "withdrawn", "unavailable", "false"),
        Status.PAST,
    ),
}
_OF_TYPE: Final[Mapping[str, Mapping[str, Status]]] = {
    "ChargeItem": {
        "billable": Status.TO_BE_BILLED,
        "not-billable": Status.NOT_BILLED,
        "billed": Status.BILLED,
    },
    "Contract": {
        **dict.fromkeys(("policy", "offered", "negotiable", "executable"), Status.NOT_FINAL),  # one party has signed
        **dict.fromkeys(("executed", "renewed", "resolved"), Status.CURRENT),  # resolved: a dispute about it
        "disputed": Status.PAUSED,
    },
    "GuidanceResponse": {
        **dict.fromkeys(("success", "data-requested"), Status.DONE),
        "data-required": Status.NOT_FINAL,
    },
    "ImagingStudy": {"available": Status.NONE},  # the images, though perhaps not any more
    "Invoice": {"issued": Status.SENT_OUT, "balanced": Status.SETTLED},
    "ResearchStudy": {
        "in-review": Status.NOT_FINAL,
        "approved": Status.PLANNED,
        **dict.fromkeys(("closed-to-accrual", "closed-to-accrual-and-intervention"), Status.CURRENT),
        **dict.fromkeys(
            ("temporarily-closed-to-accrual", "temporarily-closed-to-accrual-and-intervention"), Status.PAUSED
        ),
        "administratively-completed": Status.STOPPED,
        "disapproved": Status.DECLINED,
        "withdrawn": Status.STOPPED,
    },
    "ResearchSubject": {
        **dict.fromkeys(("candidate", "potential-candidate"), Status.MAY_TAKE_PART),
        "screening": Status.SCREENED,
        "eligible": Status.CAN_TAKE_PART,
        "ineligible": Status.CANNOT_TAKE_PART,
        "not-registered": Status.NOT_SIGNED_UP,
        "pending-on-study": Status.SIGNED_UP,
        **dict.fromkeys(("on-study", "on-study-intervention", "on-study-observation"), Status.TAKES_PART),
        "follow-up": Status.FOLLOWED_UP,
        "off-study": Status.TOOK_PART,
        "withdrawn": Status.WITHDREW,
    },
}
# Types that have no status, in DSTU2 or in both FHIR versions: then "status not given" would be wrong.
_WITHOUT: Final = frozenset(
    {
        "AdverseEvent", "AuditEvent", "Basic", "BodySite", "Claim", "ClaimResponse", "DetectedIssue",
        "EligibilityRequest", "EligibilityResponse", "EnrollmentRequest", "EnrollmentResponse", "ExplanationOfBenefit",
        "ImagingObjectSelection", "ImagingStudy", "Linkage", "Media", "MolecularSequence", "Order", "PaymentNotice",
        "ProcessRequest", "ProcessResponse", "RiskAssessment", "VisionPrescription",
    }
)  # fmt: skip
_OPEN: Final = frozenset({Status.CURRENT, Status.PAUSED, NOT_GIVEN})
_OVER: Final = frozenset(
    {
        Status.STOPPED, Status.NOT_DONE, Status.CANCELED, Status.PAST, Status.DECLINED, Status.FAILED,
        Status.CANNOT_TAKE_PART, Status.NOT_SIGNED_UP, Status.TOOK_PART, Status.WITHDREW,
    }
)  # fmt: skip
_ENDED: Final = frozenset({*_OVER, Status.DONE})
_ANSWERS: Final = {  # AppointmentResponse.participantStatus
    "accepted": Status.AGREED,
    "tentative": Status.PERHAPS,
    "declined": Status.DECLINED,
    "needs-action": Status.NOT_FINAL,
    "in-process": Status.NOT_FINAL,
    "completed": Status.DONE,
}
# DSTU2's flags for what was not done, beside the status: the status of a dose that was not given is still `completed`.
_NOT_DONE_FLAGS: Final = ("wasNotGiven", "notPerformed")


def group_of(status: str) -> str:
    """The group of the list that a status belongs to."""
    return NOT_GIVEN if status == NOT_GIVEN else Group.PAST if status in _OVER else Group.LISTED


def read(resource: Element) -> str:
    """The `Status` of a resource, or NOT_GIVEN if it has none that we know."""
    if any(elements.flag(resource, name) is True for name in _NOT_DONE_FLAGS):
        return Status.NOT_DONE
    if "potential" in status_codes(resource, "actuality"):  # an AdverseEvent, whatever the status of its report
        return Status.POTENTIAL
    if answer := mapped(resource, "participantStatus", _ANSWERS):
        return answer
    status = _sent(resource)
    if elements.flag(resource, "doNotPerform") is True:
        return Status.WAS_NOT_TO_BE_DONE if status in _ENDED else Status.NOT_TO_BE_DONE
    if status in _OPEN and is_suggested(resource):
        if "plan" not in status_codes(resource, "intent"):
            return Status.SUGGESTED
        if status == NOT_GIVEN or "active" in status_codes(resource, "status"):  # else it has begun, or is on hold
            return Status.PLANNED
    return _of_consent(resource) or status if status == Status.CURRENT else status


def _sent(resource: Element) -> str:
    resource_type = elements.text(resource, "resourceType")
    own = _OF_TYPE.get(resource_type, {})
    for name in _ELEMENTS:
        value = resource.get(name)
        codes = (str(value).lower(),) if isinstance(value, bool) else status_codes(resource, name)
        for code in codes:
            if (found := own.get(code, _WORDS.get(code))) is not None:
                return found
    is_without = resource_type in _WITHOUT and not any(resource.get(name) for name in _ELEMENTS)
    return Status.NONE if is_without else NOT_GIVEN


def _of_consent(resource: Element) -> str:
    """The status of a consent that is in force but does not allow everything (R4 Consent.provision), so that nobody
    takes a refusal for a permission; else empty. A refusal within a permission, or the other way round, is an
    exception. Without a rule of its own, the consent follows a policy rule, by HL7's codes (v3 ActCode): opted out."""
    provision = elements.child(resource, "provision")
    has_exceptions = any(True for _each in elements.children(provision, "provision"))
    own = status_codes(provision, "type")
    followed = () if own else status_codes(resource, "policyRule")
    if "deny" in own or "optout" in followed:
        return Status.DENYING_BUT if has_exceptions else Status.DENYING
    if "optoute" in followed:
        return Status.DENYING_BUT
    return Status.ALLOWING_BUT if has_exceptions or "optinr" in followed else ""
