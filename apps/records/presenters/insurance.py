"""A Coverage of either FHIR version: an insurance plan (patient experience 3.10).

DSTU2 has `issuer`, `group`, `plan`, and a Coding as type. It has no status, so that the period says whether the plan is
in force. R4 has `payor`, `class` and a status.
"""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Final

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters import elements
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import codes_of, first_name, title_of
from apps.records.presenters.datatypes import moments, quantities
from apps.records.presenters.datatypes.quantities import NO_QUANTITY, Quantity
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Context, Entry
from apps.records.presenters.heads import head, status_codes
from apps.records.presenters.naming import besides_codes, names_of, titles
from apps.records.presenters.persons import patient
from apps.records.presenters.persons.patient import Contact
from apps.wire import datetimes

_MOST = 20  # classes or costs of one plan, or exceptions of one cost; more can only be an error


class Status(StrEnum):
    """Whether a plan is in force."""

    CURRENT = "current"
    ENDED = "ended"
    NOT_FINAL = "not-final"


_STATUSES = {"active": Status.CURRENT, "cancelled": Status.ENDED, "draft": Status.NOT_FINAL}


# The kinds of classes, by HL7's codes. The numbers that a pharmacy asks for are called as on the card.
CLASS_WORDS: Final[Mapping[str, str | Promise]] = {
    "plan": _("Plan"),
    "subplan": _("Part of the plan"),
    "group": _("Group"),
    "subgroup": _("Part of the group"),
    "class": _("Class"),
    "subclass": _("Part of the class"),
    "sequence": _("Sequence"),
    "network": _("Network of the plan"),
    "dependent": _("Number of the insured person"),
    "rxbin": "RxBIN",
    "rxpcn": "RxPCN",
    "rxgroup": "RxGroup",
    "rxid": "RxID",
}


# How the patient is covered, by HL7's codes for the relationship to the policyholder (subscriber-relationship). The
# codes left out say no more than the provider's own words.
RELATIONSHIP_WORDS: Final[Mapping[str, str | Promise]] = {
    "self": _("The policy is your own"),
    "child": _("As a child of the policyholder"),
    "parent": _("As a parent of the policyholder"),
    "spouse": _("As the husband or wife of the policyholder"),
    "common": _("As the partner of the policyholder"),
    "injured": _("As a person who was injured"),
}


# The kinds of costs, by HL7's codes (coverage-copay-type). They must not be confused: a maximum is not a price.
COST_WORDS: Final[Mapping[str, str | Promise]] = {
    "gpvisit": _("Visit to a family doctor"),
    "spvisit": _("Visit to a specialist"),
    "emergency": _("Emergency care"),
    "inpthosp": _("Hospital stay"),
    "televisit": _("Visit by phone or video"),
    "urgentcare": _("Urgent care"),
    "copaypct": _("Your share of each bill (coinsurance)"),
    "copay": _("Fixed amount each time (copay)"),
    "deductible": _("What you pay before the plan pays (deductible)"),
    "maxoutofpocket": _("The most you pay in total (out-of-pocket maximum)"),
    "": _("Kind of care not given"),
}


class Fact(msgspec.Struct, frozen=True, gc=False):
    """One class of the plan: its kind (a key of `CLASS_WORDS`, or the provider's words), its name and its number."""

    kind: str = ""
    name: str = ""
    value: str = ""


class Cost(msgspec.Struct, frozen=True, gc=False):
    """What the patient pays, and for what: `of` is a key of `COST_WORDS`, or the provider's words; `said` is what the
    provider's words add to a key. `unless` are the exceptions, when it is not paid."""

    of: str = ""
    said: str = ""
    amount: Quantity = NO_QUANTITY
    unless: tuple[str, ...] = ()


class CoverageEntry(Entry, frozen=True, kw_only=True, gc=False):
    """A plan. `holder` is the policyholder, and `relationship` what the patient is to the policyholder (a key of
    `RELATIONSHIP_WORDS`, or the provider's words). `order` is 1 for the plan that pays first, and 0 if it was not sent.
    `status` is the provider's; `viewing.current_status` takes the period into account."""

    kind: str = ""
    payers: tuple[str, ...] = ()
    contacts: tuple[Contact, ...] = ()
    holder: str = ""
    relationship: str = ""
    member_number: str = ""
    classes: tuple[Fact, ...] = ()
    costs: tuple[Cost, ...] = ()
    order: int = 0

    def standing(self, *, today: date) -> str:
        """The status today: "ended" if the period is over, whatever status was sent; without a status, "current" if
        the period includes today."""
        ends, starts = datetimes.parse(self.when.ends), datetimes.parse(self.when.starts)
        if ends is not None and ends.last_day < today:
            return Status.ENDED
        if self.status == NOT_GIVEN and (starts or ends) and (starts is None or starts.first_day <= today):
            return Status.CURRENT
        return self.status


def present(resource: Element, context: Context) -> CoverageEntry:
    """Read a Coverage."""
    heading = head(resource, elements.child(resource, "type"))
    if heading["is_withdrawn"] or heading["is_withheld"]:
        return CoverageEntry(**heading)
    classes = tuple(_classes(resource))
    payers = [part for name in ("payor", "issuer") for part in elements.children(resource, name)]
    payer_names = names_of(payers, context, within=resource)
    plan = next((fact.name or fact.value for fact in classes if fact.kind == "plan"), "")
    kind = heading["title"]
    heading["title"] = first_name((plan, *payer_names, kind, *(fact.name for fact in classes)))
    status = next((_STATUSES[code] for code in status_codes(resource, "status") if code in _STATUSES), NOT_GIVEN)
    found = (contact for payer in payers for contact in patient.present(context.find(payer, within=resource)).contacts)
    return CoverageEntry(
        **heading,
        when=moments.read(resource, "period", means="valid"),
        status=status,
        group=status,
        said=notes(resource),
        kind=kind,
        payers=payer_names,
        contacts=tuple(dict.fromkeys(found)),
        holder=_holder(resource, context),
        relationship=_relationship(resource),
        member_number=_member_number(resource),
        classes=classes,
        costs=tuple(filter(None, map(_cost, elements.children(resource, "costToBeneficiary"))))[:_MOST],
        order=_order(resource),
    )


def _classes(resource: Element) -> list[Fact]:
    """The classes of R4, and the elements of DSTU2 that became classes."""
    written = ((name, elements.text(resource, name)) for name in ("plan", "subPlan", "group"))
    older = [Fact(kind=name.lower(), name=value, value=value) for name, value in written if value]
    if number := elements.text(elements.child(resource, "bin"), "value"):  # what a pharmacy asks for
        older.append(Fact(kind="rxbin", value=number))
    named = ((name, elements.text(resource, name) or _counted(resource, name)) for name in ("network", "dependent"))
    older += [Fact(kind=name, value=value) for name, value in named if value]
    newer = (_class(sent) for sent in elements.children(resource, "class"))
    return [*older, *(fact for fact in newer if fact.name or fact.value)][:_MOST]


def _counted(resource: Element, name: str) -> str:
    """The text of an element that is a number in DSTU2."""
    found = elements.number(resource, name)
    return "" if found is None else quantities.digits(found)


def _cost(sent: Element) -> Cost | None:
    money, kind = elements.child(sent, "valueMoney"), elements.child(sent, "type")
    amount = quantities.read(
        {**money, "unit": money.get("currency")} if money else elements.child(sent, "valueQuantity")
    )
    unless = tuple(said for each in elements.children(sent, "exception") for said in titles(each, "type"))
    known = next((code.lower() for code in elements.codes(kind) if code.lower() in COST_WORDS), "")
    of = known or title_of(sent.get("type")) or elements.words(kind)
    said = besides_codes(kind) if known else ""
    return Cost(of, said, amount, unless[:_MOST]) if amount else None


def _class(sent: Element) -> Fact:
    kind = elements.child(sent, "type")
    known = next((code.lower() for code in elements.codes(kind) if code.lower() in CLASS_WORDS), "")
    return Fact(known or title_of(kind), elements.text(sent, "name"), elements.text(sent, "value"))


def _holder(resource: Element, context: Context) -> str:
    people = (elements.child(resource, name) for name in ("policyHolder", "subscriber"))
    return next(iter(names_of(people, context, within=resource)), "")


def _relationship(resource: Element) -> str:
    """A relationship that we know, by code or by name, else the provider's words. DSTU2 has a Coding."""
    sent = elements.child(resource, "relationship")
    said = title_of(sent)
    named = (name.lower() for name in (*(code.code for code in codes_of(sent)), said))
    return next((name for name in named if name in RELATIONSHIP_WORDS), said)


def _member_number(resource: Element) -> str:
    sent_ones = sorted(elements.children(resource, "identifier"), key=lambda sent: elements.text(sent, "use") == "old")
    identifiers = (elements.text(sent, "value") for sent in sent_ones)
    other = elements.text(elements.child(resource, "subscriberId"), "value")  # an Identifier in DSTU2
    return elements.text(resource, "subscriberId") or other or next(filter(None, identifiers), "")


def _order(resource: Element) -> int:
    for name in ("order", "sequence"):
        sent = elements.number(resource, name)
        if sent is not None and 0 < sent < 100:
            return int(sent)
    return 0
