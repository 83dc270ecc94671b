"""Bills: what each is for, and its total; and an insurance's answers: whether it is in force, what it does not cover,
and how much it pays."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from apps.records.presenters import elements, naming
from apps.records.presenters.codeable_concepts import title_of
from apps.records.presenters.datatypes import quantities
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.generic import provider_words
from apps.records.presenters.generic.particular_words import WORDS, What
from apps.records.presenters.heads import status_codes

_OF_MEDICARE: Final = "https://bluebutton.cms.gov/resources/variables/"
_TENTHS: Final = re.compile(r"-?[0-9]+\.[0-9]", re.ASCII)


def eligibility(resource: Element, _context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """CoverageEligibilityResponse (R4): whether the insurance is in force, and what it does not cover."""
    insurances = list(elements.children(resource, "insurance"))
    yield What.IN_FORCE, ("not-in-force" for each in insurances if elements.flag(each, "inforce") is False)
    parts = [part for each in insurances for part in elements.children(each, "item")]
    yield What.NOT_COVERED, _flagged(parts, "excluded")
    yield What.NEEDS_APPROVAL, _flagged(parts, "authorizationRequired")
    yield What.ALLOWED, _counted(parts, "benefit", "allowed")
    yield What.USED, _counted(parts, "benefit", "used")
    yield What.DETAIL, (elements.prose(resource.get("disposition")),)


def benefits(resource: Element, context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """ExplanationOfBenefit and ClaimResponse: what it is, if not a bill; how far it was processed; what it is for; and
    its totals. DSTU2 has one amount where R4 has totals by kind."""
    yield What.USE, _no_bill(resource)
    yield What.HOW_IT_STANDS, (key for code in status_codes(resource, "outcome") if (key := f"outcome-{code}") in WORDS)
    yield What.LINES, _lines(resource)
    yield from _care(resource, context)
    totals = elements.children(resource, "total")
    yield What.AMOUNTS, (priced(_called(each.get("category")), each.get("amount")) for each in totals)
    yield What.TOTAL, (priced("", resource.get("totalCost")),)
    yield What.COVERED, (priced("", resource.get("totalBenefit")),)
    paid = elements.child(resource, "payment").get("amount") or resource.get("paymentAmount")
    yield What.PAID, (priced("", paid),)
    balances = list(elements.children(resource, "benefitBalance"))
    yield What.NOT_COVERED, _flagged(balances, "excluded")
    yield What.ALLOWED, _counted(balances, "financial", "allowed")
    yield What.USED, _counted(balances, "financial", "used")
    noted = (elements.prose(each.get("text")) for each in elements.children(resource, "processNote"))
    yield What.DETAIL, (elements.prose(resource.get("disposition")), *noted)


def claim(resource: Element, context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """Claim: what it is, if not a bill; what it is for; and its total (R4)."""
    yield What.USE, _no_bill(resource)
    yield What.LINES, _lines(resource)
    yield from _care(resource, context)
    yield What.TOTAL, (priced("", resource.get("total")),)


def charge(resource: Element, context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """ChargeItem (R4): what was used or done, how much of it, and its price, if that is not the usual one."""
    product = naming.reasons(resource, context, ("productCodeableConcept",), ("productReference",))
    yield What.SUPPLIED, (*product, provider_words.amount(resource, "quantity"))
    yield What.DONE, provider_words.names(resource, "service", context)
    yield What.BODY_SITES, naming.titles(resource, "bodysite")
    yield What.TOTAL, (priced("", resource.get("priceOverride")),)
    yield What.DETAIL, (elements.text(resource, "overrideReason"),)


def invoice(resource: Element, context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """Invoice (R4): what it is for, the totals without and with taxes, and the terms of payment."""
    yield What.LINES, _lines(resource)
    yield What.TOTAL_NET, (priced("", resource.get("totalNet")),)
    yield What.TOTAL, (priced("", resource.get("totalGross")),)
    yield What.DETAIL, (elements.prose(resource.get("paymentTerms")), elements.text(resource, "cancelledReason"))
    yield What.RECIPIENTS, provider_words.names(resource, "recipient", context)


def account(resource: Element, context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """Account: its kind, who pays, and the balance when it was sent (DSTU2)."""
    yield What.KIND, naming.titles(resource, "type")
    paying = (("guarantor", "party"), ("coverage", "coverage"))
    parts = ((each, inner) for name, inner in paying for each in elements.children(resource, name))
    yield (
        What.PAYERS,
        (said for each, inner in parts for said in provider_words.names_in(each, inner, resource, context)),
    )
    yield What.BALANCE, (priced("", resource.get("balance")),)
    yield What.DETAIL, (elements.prose(resource.get("description")),)


def payment(resource: Element, _context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """PaymentNotice: the amount (R4) and the status of the payment; PaymentReconciliation: the amount."""
    yield What.HOW_IT_STANDS, (_called(resource.get("paymentStatus")),)
    amount = resource.get("amount") or resource.get("paymentAmount") or resource.get("total")
    yield What.GIVEN, (priced("", amount),)
    yield What.DETAIL, (elements.prose(resource.get("disposition")),)


def is_of_this_bill(benefit: Element) -> bool:
    """Whether a benefit balance is about this bill alone: Medicare sends such amounts among those used so far."""
    return any(code.startswith(_OF_MEDICARE) for code in elements.codes(benefit.get("type"))) and "usedMoney" in benefit


def name_of_line(line: Element) -> str:
    """The name of what a line of a bill is for."""
    named = ("productOrService", "service", "chargeItemCodeableConcept", "revenue", "category")
    return next(iter(naming.titles(line, *named)), "")


def priced(what: str, sent: object) -> str:
    """A name and an amount with its currency. 40.5 becomes 40.50, because programs drop the last zero. Empty without an
    amount."""
    money = sent if isinstance(sent, dict) else {}
    amount = quantities.read({**money, "unit": elements.text(money, "currency") or elements.text(money, "unit")})
    if _TENTHS.fullmatch(amount.value):
        amount = replace(amount, value=f"{amount.value}0")
    return ": ".join(filter(None, (what, amount.shown))) if amount.value else ""


def _care(resource: Element, context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """The diagnoses and procedures that a bill is about."""
    yield What.DIAGNOSES, _each(resource, "diagnosis", context)
    yield What.DONE, _each(resource, "procedure", context)


def _each(resource: Element, name: str, context: Context) -> Iterator[str]:
    """The diagnoses or procedures by name. R4 has separate elements for concepts and references, DSTU2 one element."""
    for part in elements.children(resource, name):
        yield from naming.titles(part, f"{name}CodeableConcept", name)
        yield from provider_words.names_in(part, f"{name}Reference", resource, context)


def _no_bill(resource: Element) -> Iterator[str]:
    """The code that says it is not a bill, but only a question or an estimate."""
    return (code for code in status_codes(resource, "use") if code in WORDS)


def _lines(resource: Element) -> Iterator[str]:
    """What each line is for, and its price, including lines that the insurance added (`addItem`). A line without a name
    is left out: nobody could tell what its price is for."""
    for name in ("item", "addItem", "lineItem"):
        for line in elements.children(resource, name):
            if said := name_of_line(line):
                yield priced(said, line.get("net") or _base(line)) or said


def _base(line: Element) -> object:
    """The base price of a line of an invoice, without surcharges and discounts."""
    prices = elements.children(line, "priceComponent")
    return next((each.get("amount") for each in prices if "base" in status_codes(each, "type")), None)


def _flagged(parts: Iterable[Element], name: str) -> Iterator[str]:
    """The names of the parts for which this flag is true."""
    for part in parts:
        if elements.flag(part, name) is True:
            yield _named(part) or "…"


def _named(part: Element) -> str:
    """What the insurance calls a part."""
    said = naming.titles(part, "productOrService", "category", "subCategory")
    return elements.text(part, "name") or next(iter(said), "") or elements.text(part, "description")


def _counted(parts: Iterable[Element], name: str, kind: str) -> Iterator[str]:
    """How much of each benefit is allowed or used (`kind`), with its name and its kind of limit. A benefit with neither
    is left out."""
    for part in parts:
        for benefit in elements.children(part, name):
            if is_of_this_bill(benefit):
                continue
            what = ", ".join(filter(None, (_named(part), _called(benefit.get("type")))))
            count = elements.number(benefit, f"{kind}UnsignedInt")
            said = elements.text(benefit, f"{kind}String") if count is None else quantities.digits(count)
            if what:
                yield priced(what, benefit.get(f"{kind}Money")) or (f"{what}: {said}" if said else "")


def _called(concept: object) -> str:
    """The title of a concept, or else its code, without which an amount means nothing."""
    return title_of(concept) or elements.words(concept)
