"""An insurance's adjudication of a bill, by line and in total: what was billed, allowed, paid and left to the patient,
and why something was not covered. R4 has it in ExplanationOfBenefit and ClaimResponse, DSTU2 only in the latter."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.records.presenters import elements
from apps.records.presenters.codeable_concepts import codes_of, title_of
from apps.records.presenters.datatypes import moments, quantities
from apps.records.presenters.datatypes.moments import UNDATED, When
from apps.records.presenters.elements import Element
from apps.records.presenters.generic import payments

_MOST: Final = 50  # lines of one bill, and amounts of one line
_LINES: Final = ("item", "addItem")  # the insurance adds lines of its own as `addItem`
_BILLED: Final = "submitted"

# The kinds of amounts, by the codes of HL7 (adjudication) and of CARIN (C4BBAdjudication), in the order of the page.
AMOUNT_WORDS: Final[Mapping[str, str | Promise]] = {
    _BILLED: _("Billed"),
    "drugcost": _("Price of the medicine"),
    "discount": _("Discount"),
    "tax": _("Tax"),
    "eligible": _("Allowed by the plan"),
    "noncovered": _("Not covered by the plan"),
    "benefit": _("Paid by the plan"),
    "paidtoprovider": _("Paid to the provider"),
    "paidtopharmacy": _("Paid to the pharmacy"),
    "paidtopatient": _("Paid to you"),
    "priorpayerpaid": _("Already paid by another insurance"),
    "deductible": _("Your share (deductible)"),
    "copay": _("Your share (copay)"),
    "coinsurance": _("Your share (coinsurance)"),
    "memberliability": _("Your share in total"),
    "paidbypatient": _("You paid"),
    "paidbypatientcash": _("You paid at the visit"),
    "paidbypatienthealthaccount": _("You paid from a health account"),
    "paidbypatientother": _("You paid in another way"),
    "allowedunits": _("How many the plan allows"),
    "denialreason": _("Why it is not covered"),
    "inoutnetwork": _("Plan network"),
    "billingnetworkstatus": _("Plan network (who bills)"),
    "renderingnetworkstatus": _("Plan network (who treated you)"),
    "benefitpaymentstatus": _("Paid as"),
}
# Our words for reasons (C4BBPayerAdjudicationStatus); all others are shown in the insurance's words.
REASON_WORDS: Final[Mapping[str, str | Promise]] = {
    "innetwork": _("In the network"),
    "outofnetwork": _("Outside the network"),
}
_ORDER: Final = tuple(AMOUNT_WORDS)
# Medicare's codes for the same, in lines and in totals; and a code of DSTU2.
_ALSO: Final[Mapping[str, str]] = {
    "total": _BILLED,
    "clm_tot_chrg_amt": _BILLED,
    "nch_carr_clm_sbmtd_chrg_amt": _BILLED,
    "nch_carr_clm_alowd_amt": "eligible",
    "nch_clm_prvdr_pmt_amt": "paidtoprovider",
    "nch_clm_bene_pmt_amt": "paidtopatient",
    "carr_clm_cash_ddctbl_apld_amt": "deductible",
    "nch_bene_ip_ddctbl_amt": "deductible",
    "nch_bene_ptb_ddctbl_amt": "deductible",
    "nch_bene_pta_coinsrnc_lblty_amt": "coinsurance",
    "nch_bene_ptb_coinsrnc_amt": "coinsurance",
    "nch_ip_ncvrd_chrg_amt": "noncovered",
    "line_sbmtd_chrg_amt": _BILLED,
    "line_alowd_chrg_amt": "eligible",
    "line_nch_pmt_amt": "benefit",
    "line_prvdr_pmt_amt": "paidtoprovider",
    "line_bene_pmt_amt": "paidtopatient",
    "line_bene_prmry_pyr_pd_amt": "priorpayerpaid",
    "line_bene_ptb_ddctbl_amt": "deductible",
    "line_coinsrnc_amt": "coinsurance",
}


class Amount(msgspec.Struct, frozen=True, gc=False):
    """One amount: its kind (a key of `AMOUNT_WORDS`, or the insurance's words), how much, and why (keys of
    `REASON_WORDS`, or the insurance's words)."""

    of: str
    said: str = ""
    reasons: tuple[str, ...] = ()


class Charge(msgspec.Struct, frozen=True, gc=False):
    """A line of a bill: its number, and what it is for, or its code if only that was sent."""

    number: str
    name: str = ""
    code: str = ""
    when: When = UNDATED
    amounts: tuple[Amount, ...] = ()
    notes: tuple[str, ...] = ()


class Bill(msgspec.Struct, frozen=True, gc=False):
    """The adjudication of a bill. `more` is the number of lines that are left out. If no line was adjudicated, there
    are none."""

    whole: tuple[Amount, ...] = ()
    lines: tuple[Charge, ...] = ()
    more: int = 0


NO_BILL: Final = Bill()


def read(resource: Element) -> Bill:
    """Read an ExplanationOfBenefit or a ClaimResponse; empty for any other resource."""
    if elements.text(resource, "resourceType") not in {"ExplanationOfBenefit", "ClaimResponse"}:
        return NO_BILL
    balances = elements.children(resource, "benefitBalance")
    balanced = (one for each in balances for one in _amounts(each, "financial"))
    whole = _in_order([*_amounts(resource, "total"), *_amounts(resource, "adjudication"), *balanced])
    sent = [line for name in _LINES for outer in elements.children(resource, name) for line in _judged(outer)]
    if not any(map(_is_judged, sent)):
        return Bill(whole)
    notes = _notes(resource)
    lines = tuple(_charge(line, place, notes) for place, line in enumerate(sent[:_MOST], 1))
    return Bill(whole, lines, len(sent[_MOST:]))


def _judged(line: Element) -> Iterator[Element]:
    """The line itself or, if only its details were adjudicated, these."""
    inner = [each for name in ("detail", "subDetail") for each in elements.children(line, name)]
    if _is_judged(line) or not any(map(_is_judged, inner)):
        yield line
    else:
        yield from inner


def _is_judged(line: Element) -> bool:
    return any(True for _amount in _amounts(line, "adjudication"))


def _charge(line: Element, place: int, notes: Mapping[int, str]) -> Charge:
    sent = next(filter(None, (elements.number(line, name) for name in ("sequence", "sequenceLinkId"))), None)
    name = payments.name_of_line(line)
    coded = (code.code for each in ("productOrService", "service") for code in codes_of(elements.child(line, each)))
    judged = list(_amounts(line, "adjudication"))
    price = payments.priced("", line.get("net"))
    if price and not any(one.of == _BILLED for one in judged):
        judged.append(Amount(_BILLED, price))
    return Charge(
        number=quantities.digits(sent) if sent is not None else str(place),
        name=name,
        code="" if name else next(filter(None, coded), ""),
        when=moments.read(line, "serviced", means="care"),
        amounts=_in_order(judged),
        notes=tuple(dict.fromkeys(notes[number] for number in _numbers(line, "noteNumber") if number in notes)),
    )


def _amounts(element: Element, name: str) -> Iterator[Amount]:
    """The amounts that have a sum of money, a count or a reason. A percentage is left out: the sums already show it."""
    for sent in elements.children(element, name):
        if name == "financial" and not payments.is_of_this_bill(sent):
            continue
        concept = sent.get("category") or sent.get("code") or sent.get("type")
        known = _known(concept)
        of = known or title_of(concept) or elements.words(concept)
        said = payments.priced("", sent.get("amount") or sent.get("usedMoney"))
        count = elements.number(sent, "value") if known == "allowedunits" else None
        said = said or (quantities.digits(count) if count is not None else "")
        reasons = tuple(_reasons(sent))
        if of and (said or reasons):
            yield Amount(of, said, reasons)


def _known(concept: object) -> str:
    """The key of the first code that we know. Medicare's codes are addresses, of which only the end counts, and they
    come first: Medicare may send a CARIN code beside them that means something else, such as "paid by another
    insurance" for a total charge."""
    ends = [code.code.lower().rpartition("/")[2] for code in codes_of(concept)]
    found = (*(_ALSO[end] for end in ends if end in _ALSO), *(end for end in ends if end in AMOUNT_WORDS))
    return next(iter(found), "")


def _reasons(sent: Element) -> Iterator[str]:
    for concept in elements.children(sent, "reason"):
        known = next((code.code.lower() for code in codes_of(concept) if code.code.lower() in REASON_WORDS), "")
        yield from filter(None, (known or title_of(concept) or elements.words(concept),))


def _in_order(amounts: Iterable[Amount]) -> tuple[Amount, ...]:
    """The amounts without repetition, those with our words first, in the order of the page."""
    places = {key: place for place, key in enumerate(_ORDER)}
    once = tuple(dict.fromkeys(amounts))[:_MOST]
    return tuple(sorted(once, key=lambda one: places.get(one.of, len(places))))


def _notes(resource: Element) -> dict[int, str]:
    """The notes to which lines refer, by number."""
    sent = ((elements.number(each, "number"), elements.prose(each.get("text"))) for each in _noted(resource))
    return {int(number): text for number, text in sent if number is not None and text}


def _noted(resource: Element) -> Iterator[Element]:
    return (each for name in ("processNote", "note") for each in elements.children(resource, name))


def _numbers(line: Element, name: str) -> Iterator[int]:
    sent = line.get(name)
    several = sent[:_MOST] if isinstance(sent, list) else [sent]
    found = (elements.number({"": each}, "") for each in several)
    return (int(number) for number in found if number is not None)
