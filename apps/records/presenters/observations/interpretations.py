"""What a laboratory says about a value, in a closed set of words (patient experience 3.3).

Observation.interpretation is one CodeableConcept in DSTU2 and several in R4, with codes of v2-0078 in both and of v3
ObservationInterpretation in R4; all codes in use are the same in both systems. The judgment is the laboratory's, never
ours: all that we do is compare a value with the laboratory's own range (`ranges.compare`).
"""

from collections.abc import Iterator
from enum import StrEnum

from apps.records.presenters import elements
from apps.records.presenters.elements import Element
from apps.records.presenters.memoizing import memoized


class Place(StrEnum):
    """Where a value lies in relation to what is usual, or what it means."""

    WITHIN = "within"
    ABOVE = "above"
    BELOW = "below"
    FAR_ABOVE = "far-above"
    FAR_BELOW = "far-below"
    OUTSIDE = "outside"
    FAR_OUTSIDE = "far-outside"
    UNMEASURED_ABOVE = "above-what-the-test-can-measure"
    UNMEASURED_BELOW = "below-what-the-test-can-measure"
    TOO_LOW = "too-low-to-compare"  # our comparison was not certain
    TOO_HIGH = "too-high-to-compare"
    FOUND = "found"
    NOT_FOUND = "not-found"
    UNDETERMINED = "undetermined"
    WORKS = "works"  # a medicine works against a germ, in the laboratory
    MAY_WORK = "may-work"
    DOES_NOT_WORK = "does-not-work"
    NOT_SHOWN_TO_WORK = "not-shown-to-work"


_CODES = {
    "N": Place.WITHIN,
    **dict.fromkeys(("H", "HU", "H>", "HX"), Place.ABOVE),
    **dict.fromkeys(("L", "LU", "L<", "LX"), Place.BELOW),
    **dict.fromkeys(("HH", "H*"), Place.FAR_ABOVE),
    **dict.fromkeys(("LL", "L*"), Place.FAR_BELOW),
    **dict.fromkeys(("AA", "A*"), Place.FAR_OUTSIDE),
    "A": Place.OUTSIDE,
    ">": Place.UNMEASURED_ABOVE,
    "<": Place.UNMEASURED_BELOW,
    **dict.fromkeys(("POS", "DET", "RR", "WR"), Place.FOUND),
    **dict.fromkeys(("NEG", "ND", "NR"), Place.NOT_FOUND),
    **dict.fromkeys(("IND", "E", "IE"), Place.UNDETERMINED),
    "S": Place.WORKS,
    **dict.fromkeys(("SDD", "I"), Place.MAY_WORK),
    "R": Place.DOES_NOT_WORK,
    "NS": Place.NOT_SHOWN_TO_WORK,
}

# The texts that vendors send with their own codes.
_WORDS = {
    **dict.fromkeys(("hi", "high", "above normal"), Place.ABOVE),
    **dict.fromkeys(("low", "below normal"), Place.BELOW),
    **dict.fromkeys(("abn", "abnormal"), Place.OUTSIDE),
    **dict.fromkeys(("critical high", "critically high", "high critical"), Place.FAR_ABOVE),
    **dict.fromkeys(("critical low", "critically low", "low critical"), Place.FAR_BELOW),
    **dict.fromkeys(("normal", "within normal range"), Place.WITHIN),
}
_NO_WORD = frozenset({"na", "n/a", "not applicable", "null"})
_SYSTEMS = (
    "v2/0078",
    "v2-0078",
    "v3/observationinterpretation",
    "v3-observationinterpretation",
    "2.16.840.1.113883.5.83",
)
# If two places agree, the more specific one counts. For each place, these are the more specific ones.
_SAYS_LESS = {
    Place.ABOVE: {Place.FAR_ABOVE, Place.UNMEASURED_ABOVE},
    Place.BELOW: {Place.FAR_BELOW, Place.UNMEASURED_BELOW},
    Place.OUTSIDE: {
        Place.ABOVE, Place.BELOW, Place.FAR_ABOVE, Place.FAR_BELOW, Place.FAR_OUTSIDE, Place.FOUND,
        Place.UNMEASURED_ABOVE, Place.UNMEASURED_BELOW,
    },
    Place.FAR_OUTSIDE: {Place.FAR_ABOVE, Place.FAR_BELOW},
}  # fmt: skip


def is_standard(system: str) -> bool:
    """Whether codes of this system are the standard's: in a laboratory's own system, A may mean "accepted"."""
    return not system or system.lower().endswith(_SYSTEMS)


def read(element: Element) -> tuple[str, tuple[str, ...]]:
    """The place that the laboratory's codes mean, and the laboratory's words that mean no place we know.

    The place is empty if none was sent, or if several were sent that contradict each other; then the words are all
    that the laboratory sent.
    """
    return _read(element["interpretation"]) if element.get("interpretation") else ("", ())


@memoized
def _read(sent: object) -> tuple[str, tuple[str, ...]]:
    concepts = tuple(elements.children({"interpretation": sent}, "interpretation"))
    places: dict[Place, None] = {}
    others: list[str] = []
    for concept in concepts:
        place = next(_places(concept), None)
        words = elements.words(concept)
        if place is not None:
            places[place] = None
        elif words and words.lower() not in _NO_WORD:
            others.append(words)
    said = [place for place in places if not _SAYS_LESS.get(place, set()) & places.keys()]
    if len(said) == 1:
        return said[0], tuple(dict.fromkeys(others))
    return "", tuple(dict.fromkeys(filter(None, map(elements.words, concepts)))) if said else tuple(others)


def _places(concept: Element) -> Iterator[Place]:
    codings = tuple(elements.children(concept, "coding"))
    for coding in codings:
        code = elements.text(coding, "code").upper()
        if is_standard(elements.text(coding, "system")) and code in _CODES:
            yield _CODES[code]
    for said in (elements.text(concept, "text"), *(elements.text(coding, "display") for coding in codings)):
        if said.lower() in _WORDS:
            yield _WORDS[said.lower()]
        elif not codings and said.upper() in _CODES:
            yield _CODES[said.upper()]
