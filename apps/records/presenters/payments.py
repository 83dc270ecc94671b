"""What an insurance answers, and what it makes of a bill: whether it holds, what it leaves out, and how much."""

from collections.abc import Iterable, Iterator

from apps.records.presenters import elements, naming
from apps.records.presenters.datatypes import quantities
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Context
from apps.records.presenters.heads import status_codes, title_of
from apps.records.presenters.particular_words import WORDS, What


def eligibility(resource: Element, _context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """CoverageEligibilityResponse (R4): whether the insurance holds, and what it leaves out."""
    insurances = list(elements.children(resource, "insurance"))
    yield What.IN_FORCE, ("not-in-force" for each in insurances if elements.flag(each, "inforce") is False)
    parts = [part for each in insurances for part in elements.children(each, "item")]
    yield What.NOT_COVERED, _flagged(parts, "excluded")
    yield What.NEEDS_APPROVAL, _flagged(parts, "authorizationRequired")
    yield What.DETAIL, (elements.prose(resource.get("disposition")),)


def benefits(resource: Element, _context: Context) -> Iterator[tuple[What, Iterable[str]]]:
    """ExplanationOfBenefit: what it is, where that is no bill, and what it comes to; not the lines of a bill."""
    yield What.USE, (code for code in status_codes(resource, "use") if code in WORDS)
    totals = elements.children(resource, "total")
    yield What.AMOUNTS, (_priced(_called(each.get("category")), each.get("amount")) for each in totals)
    yield What.PAID, (_priced("", elements.child(resource, "payment").get("amount")),)
    yield What.NOT_COVERED, _flagged(elements.children(resource, "benefitBalance"), "excluded")
    noted = (elements.prose(each.get("text")) for each in elements.children(resource, "processNote"))
    yield What.DETAIL, (elements.prose(resource.get("disposition")), *noted)


def _flagged(parts: Iterable[Element], name: str) -> Iterator[str]:
    """Those of which it is true, by what they are."""
    for part in parts:
        if elements.flag(part, name) is True:
            said = naming.titles(part, "productOrService", "category", "subCategory")
            yield elements.text(part, "name") or next(iter(said), "") or elements.text(part, "description") or "…"


def _called(concept: object) -> str:
    """What it says; of one that was sent as a code alone, the code, without which an amount says nothing."""
    return title_of(concept) or elements.words(concept)


def _priced(what: str, sent: object) -> str:
    """What it is, and the amount with its currency; nothing without an amount."""
    money = sent if isinstance(sent, dict) else {}
    amount = quantities.read({**money, "unit": elements.text(money, "currency") or elements.text(money, "unit")}).shown
    return ": ".join(filter(None, (what, amount))) if amount else ""
