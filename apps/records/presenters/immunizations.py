"""An Immunization or an ImmunizationRecommendation of either FHIR version (facts 1.6, patient experience 3.6).

DSTU2 has `wasNotGiven` and `reported` where R4 has the status not-done and `primarySource`. We state what was recorded:
nothing here compares doses with a schedule, and a vaccine that was not given is not a dose.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import islice
from typing import Any

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.records.presenters import elements, naming
from apps.records.presenters.absences import known_absence, says_no_information
from apps.records.presenters.annotations import notes
from apps.records.presenters.codeable_concepts import codes_of, title_of
from apps.records.presenters.datatypes import moments, quantities
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.datatypes.quantities import NO_QUANTITY, Quantity
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import NOT_GIVEN, Code, Context, Entry
from apps.records.presenters.generic import provider_words
from apps.records.presenters.heads import head, mapped, status_codes
from apps.records.presenters.plain_names import illnesses
from apps.records.presenters.plain_names.illnesses import Illness

ADVISED_AGAINST = "advised-against"  # the status of a recommendation that recommends nothing
_MOST = 30  # reactions or recommended vaccines of one resource; more can only be an error


class Status(StrEnum):
    """Whether a vaccine was given."""

    GIVEN = "given"
    WAS_NOT_GIVEN = "was-not-given"
    NOT_COMPLETED = "not-completed"
    NOT_GIVEN = NOT_GIVEN


class Group(StrEnum):
    """The groups, in the order of the page. The last two are for entries that say there was no vaccine, or no
    information."""

    GIVEN = "given"
    NOT_COMPLETED = "not-completed"
    WAS_NOT_GIVEN = "was-not-given"
    NOT_GIVEN = NOT_GIVEN
    RECOMMENDED = "recommended"
    ADVISED_AGAINST = "advised-against"
    NONE_KNOWN = "none-known"
    NO_INFORMATION = "no-information"


class Dose(msgspec.Struct, frozen=True, gc=False):
    """Which dose of which series it was, with the numbers as sent: 2 of 3. `illnesses` are what it protects against. If
    `counts_not`, the dose was given but does not count in the series; `because` is the provider's reason. `standing` is
    the status of the dose in the provider's words, if we do not know the code."""

    number: str = ""
    of: str = ""
    series: str = ""
    illnesses: tuple[str, ...] = ()
    counts_not: bool = False
    standing: str = ""
    because: str = ""


class VaccineReaction(msgspec.Struct, frozen=True, gc=False):
    """What happened after a vaccine."""

    what: str = ""
    when: When = UNDATED


class ImmunizationEntry(Entry, frozen=True, kw_only=True, gc=False):
    """A vaccine, given or not. `is_reported`: given elsewhere, and reported to this provider (by `reported_by`).

    `reasons` say why it was given, `reasons_not` why it was not. `expires` is a FHIR date as sent.
    """

    status: Status = Status.NOT_GIVEN
    group: Group = Group.NOT_GIVEN
    is_reported: bool = False
    reported_by: str = ""
    is_subpotent: bool = False
    subpotent_because: tuple[str, ...] = ()
    maker: str = ""
    lot: str = ""
    expires: str = ""
    doses: tuple[Dose, ...] = ()
    amount: Quantity = NO_QUANTITY
    site: str = ""
    route: str = ""
    place: str = ""
    given_by: tuple[str, ...] = ()
    ordered_by: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    reasons_not: tuple[str, ...] = ()
    reactions: tuple[VaccineReaction, ...] = ()

    @property
    def is_dose(self) -> bool:
        """Whether it counts as a dose that was given."""
        return self.status is Status.GIVEN

    @property
    def illnesses(self) -> tuple[Illness, ...]:
        """The illnesses that the vaccine protects against, if we know its code; a combination has several."""
        return illnesses.of(self.codes)


class Recommendation(msgspec.Struct, frozen=True, gc=False):
    """One vaccine that the provider recommends, in the provider's words. `due` is when it is due, `until` the last day
    for it, and `overdue` the day from which it is late. `against` are vaccines that must not be given in its place."""

    vaccine: str = ""
    codes: tuple[Code, ...] = ()
    illness: str = ""
    due: When = UNDATED
    status: str = ""
    dose: str = ""
    of: str = ""
    series: str = ""
    because: tuple[str, ...] = ()
    until: When = UNDATED
    overdue: When = UNDATED
    said: str = ""
    is_advised_against: bool = False
    against: tuple[str, ...] = ()


class RecommendationEntry(Entry, frozen=True, kw_only=True, gc=False):
    """The vaccines that a provider recommends or, if all of them are contraindicated, advises against."""

    group: Group = Group.RECOMMENDED
    recommendations: tuple[Recommendation, ...] = ()


_STATUSES = {
    "completed": Status.GIVEN,
    "not-done": Status.WAS_NOT_GIVEN,
    "in-progress": Status.NOT_COMPLETED,
    "on-hold": Status.NOT_COMPLETED,
    "stopped": Status.NOT_COMPLETED,
}
_GROUPS = {
    Status.GIVEN: Group.GIVEN,
    Status.WAS_NOT_GIVEN: Group.WAS_NOT_GIVEN,
    Status.NOT_COMPLETED: Group.NOT_COMPLETED,
    Status.NOT_GIVEN: Group.NOT_GIVEN,
}
_DOSES = frozenset({"count", "nocount"})
# The codes of a recommendation's date, in order of precedence: when it is due, then the earliest date (LOINC in R4).
_DUE = ("30980-7", "due", "recommended", "30981-5", "earliest")
_LATEST = ("59777-3", "latest")
_OVERDUE = ("59778-1", "overdue")


def present(resource: Element, context: Context) -> ImmunizationEntry:
    """Read an Immunization of either FHIR version."""
    top = head(resource, resource.get("vaccineCode"))
    if top["is_withdrawn"] or top["is_withheld"]:
        return ImmunizationEntry(**top)
    status = _status(resource)
    absence = known_absence(top["codes"], top["title"])
    no_information = says_no_information(top["codes"])
    given_by, ordered_by = _performers(resource, context)
    return ImmunizationEntry(
        **top,
        when=moments.read(resource, "occurrence", "date", means="given", birth_date=context.birth_date),
        status=status,
        group=Group.NONE_KNOWN if absence else Group.NO_INFORMATION if no_information else _GROUPS[status],
        people=tuple(dict.fromkeys((*given_by, *ordered_by))),
        said=notes(resource, "note"),
        is_known_absence=absence is not None,
        says_no_information=no_information,
        is_reported=elements.flag(resource, "reported") is True or elements.flag(resource, "primarySource") is False,
        reported_by=title_of(resource.get("reportOrigin")),
        is_subpotent=elements.flag(resource, "isSubpotent") is True,
        maker=naming.name_of(resource.get("manufacturer"), context, within=resource),
        lot=elements.text(resource, "lotNumber"),
        expires=elements.text(resource, "expirationDate"),
        doses=_doses(resource),
        amount=quantities.read(elements.child(resource, "doseQuantity")),
        site=title_of(resource.get("site")),
        route=title_of(resource.get("route")),
        place=naming.name_of(resource.get("location"), context, within=resource),
        given_by=given_by,
        ordered_by=ordered_by,
        **_reasons(resource, context),
        reactions=_reactions(resource, context),
    )


def present_recommendation(resource: Element, context: Context) -> RecommendationEntry:
    """Read an ImmunizationRecommendation of either FHIR version."""
    top = head(resource)
    if top["is_withdrawn"] or top["is_withheld"]:
        return RecommendationEntry(**top)
    read = [_recommendation(sent) for sent in islice(elements.children(resource, "recommendation"), _MOST)]
    recommended = tuple(each for each in read if each.vaccine or each.illness)
    advised = [each for each in recommended if not each.is_advised_against]
    top["title"] = ", ".join(dict.fromkeys(each.vaccine or each.illness for each in advised or recommended))
    is_against = bool(recommended) and not advised
    top["codes"] = tuple(dict.fromkeys(code for each in recommended for code in each.codes))
    dates = (moments.read(sent, "date", means="recorded") for sent in elements.children(resource, "recommendation"))
    said_at = moments.read(resource, "date", means="recorded") or next(filter(None, dates), When(means="recorded"))
    authority = naming.name_of(resource.get("authority"), context, within=resource)
    return RecommendationEntry(
        **top,
        when=said_at,
        status=ADVISED_AGAINST if is_against else NOT_GIVEN,
        group=Group.ADVISED_AGAINST if is_against else Group.RECOMMENDED,
        people=(authority,) if authority else (),
        said=notes(resource),
        recommendations=recommended,
    )


def _status(resource: Element) -> Status:
    if elements.flag(resource, "wasNotGiven") is True:
        return Status.WAS_NOT_GIVEN
    return mapped(resource, "status", _STATUSES) or Status.NOT_GIVEN


def _reasons(resource: Element, context: Context) -> dict[str, Any]:
    """Why it was given, why not, and why it may not protect enough. DSTU2 has the first two in `explanation`."""
    explained = elements.child(resource, "explanation")
    why = naming.reasons(resource, context, ("reasonCode",), ("reasonReference",))
    return {
        "reasons": (*naming.titles(explained, "reason"), *why),
        "reasons_not": (*naming.titles(explained, "reasonNotGiven"), *naming.titles(resource, "statusReason")),
        "subpotent_because": naming.titles(resource, "subpotentReason"),
    }


def _performers(resource: Element, context: Context) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Who gave it and who ordered it: two references in DSTU2, performers with a function in R4."""
    performers = list(elements.children(resource, "performer"))
    ordering = [each for each in performers if "OP" in elements.codes(elements.child(each, "function"))]
    giving = [each for each in performers if each not in ordering]
    return (
        naming.names_of(map(_actor, giving), context, within=resource),
        naming.names_of((*elements.children(resource, "requester"), *map(_actor, ordering)), context, within=resource),
    )


def _actor(performer: Element) -> Element:
    return elements.child(performer, "actor") or performer


def _doses(resource: Element) -> tuple[Dose, ...]:
    sent = (*elements.children(resource, "protocolApplied"), *elements.children(resource, "vaccinationProtocol"))
    read = (
        Dose(
            number=_number(each, "doseNumberPositiveInt", "doseNumberString", "doseNumber", "doseSequence"),
            of=_number(each, "seriesDosesPositiveInt", "seriesDosesString", "seriesDoses"),
            series=elements.text(each, "series"),
            illnesses=naming.titles(each, "targetDisease"),
            counts_not="nocount" in status_codes(each, "doseStatus"),
            standing="" if _DOSES & set(status_codes(each, "doseStatus")) else title_of(each.get("doseStatus")),
            because=next(iter(naming.titles(each, "doseStatusReason")), ""),
        )
        for each in sent
    )
    return tuple(dict.fromkeys(dose for dose in read if dose != Dose()))[:_MOST]


def _number(element: Element, *names: str) -> str:
    """A number, or the text that was sent in its place."""
    numbers = (elements.number(element, name) for name in names)
    counted = next((found for found in numbers if found is not None), None)
    texts = (elements.text(element, name) for name in names)
    return next(filter(None, texts), "") if counted is None else quantities.digits(counted)


def _reactions(resource: Element, context: Context) -> tuple[VaccineReaction, ...]:
    read = (
        VaccineReaction(
            what=naming.name_of(each.get("detail"), context, within=resource),
            when=moments.read(each, "date", means="noticed"),
        )
        for each in elements.children(resource, "reaction")
    )
    return tuple(islice((reaction for reaction in read if reaction.what or reaction.when), _MOST))


def _recommendation(sent: Element) -> Recommendation:
    """Read one recommended vaccine. Whether it is contraindicated may be said by a code alone."""
    protocol = elements.child(sent, "protocol")  # in DSTU2
    return Recommendation(
        vaccine=next(iter(naming.titles(sent, "vaccineCode")), ""),
        codes=tuple(code for concept in elements.children(sent, "vaccineCode") for code in codes_of(concept)),
        illness=next(iter(naming.titles(sent, "targetDisease")), "") or elements.words(sent.get("targetDisease")),
        due=_due(sent),
        until=next(_dated(sent, _LATEST), UNDATED),
        overdue=next(_dated(sent, _OVERDUE), UNDATED),
        said=elements.prose(sent.get("description")) or elements.prose(protocol.get("description")),
        status=elements.words(sent.get("forecastStatus")),
        against=provider_words.concepts(sent, "contraindicatedVaccineCode"),
        dose=_number(sent, "doseNumberPositiveInt", "doseNumberString", "doseNumber")
        or _number(protocol, "doseSequence"),
        of=_number(sent, "seriesDosesPositiveInt", "seriesDosesString", "seriesDoses"),
        series=elements.text(sent, "series") or elements.text(protocol, "series"),
        because=naming.titles(sent, "forecastReason"),
        is_advised_against="contraindicated" in status_codes(sent, "forecastStatus"),
    )


def _due(sent: Element) -> When:
    """The date from which the vaccine is recommended."""
    uncoded = (when for codes, when in _dates(sent) if not codes and when)
    return next(_dated(sent, _DUE), next(uncoded, When(means="due")))


def _dated(sent: Element, wanted: Iterable[str]) -> Iterator[When]:
    """The dates with these codes, in the order of the codes."""
    dates = list(_dates(sent))
    return (when for code in wanted for codes, when in dates if code in codes and when)


def _dates(sent: Element) -> Iterator[tuple[tuple[str, ...], When]]:
    for each in elements.children(sent, "dateCriterion"):
        yield elements.codes(elements.child(each, "code")), moments.read(each, "value", means="due")


STATUS_WORDS: Mapping[Status, str | Promise] = {
    Status.GIVEN: _("Given"),
    Status.WAS_NOT_GIVEN: _("Not given"),
    Status.NOT_COMPLETED: _("Not completed"),
    Status.NOT_GIVEN: _("Status not given"),
}
GROUP_WORDS: Mapping[Group, str | Promise] = {
    Group.GIVEN: pgettext_lazy("vaccines", "Given"),
    Group.NOT_COMPLETED: pgettext_lazy("vaccines", "Not completed"),
    Group.WAS_NOT_GIVEN: pgettext_lazy("vaccines", "Not given"),
    Group.NOT_GIVEN: _("Status not given"),
    Group.RECOMMENDED: _("Recommended by the provider"),
    Group.ADVISED_AGAINST: _("Advised against by the provider"),
    Group.NONE_KNOWN: _("Recorded as having none"),
    Group.NO_INFORMATION: _("No information"),
}
