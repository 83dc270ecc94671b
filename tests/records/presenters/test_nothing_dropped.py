"""No part of a dosage is dropped: each word and number that was sent is in what is shown."""

from collections.abc import Iterator
from typing import Any, Final

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from apps.records.presenters.dosing import dosage_words, dosages

WORD: Final = "a word"
NUMBER: Final = "a number"
YEAR: Final = "a year"


def some(**parts: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An element with one of these parts, or several of them."""
    return st.fixed_dictionaries({}, optional=parts).filter(bool)


words = st.just(WORD)
odd = st.sampled_from([[WORD, WORD], {"odd": WORD}, {"odd": {"deeper": NUMBER}}, WORD])
numbers = st.just(NUMBER) | odd
texts = words | odd
units = st.sampled_from(["mg", "tablet", "mL", WORD])
concepts = st.sampled_from(
    [
        {"text": WORD},
        {"coding": [{"system": "urn:x", "code": WORD}]},
        {"coding": [{"code": WORD}]},
        {"coding": [{"system": "urn:x", "code": "1", "display": WORD}]},
        {"odd": WORD},
        WORD,
    ]
)
quantities = st.fixed_dictionaries(
    {"value": numbers}, optional={"unit": units, "comparator": st.sampled_from(["<", ">=", WORD])}
) | st.sampled_from([{"unit": WORD}, {"value": NUMBER, "code": WORD}])  # a code beside a unit says no more
ranges = some(low=quantities, high=quantities)
ratios = some(numerator=quantities, denominator=quantities)
times = st.sampled_from(["d", "h", "wk", WORD])
repeats = {
    "frequency": numbers,
    "frequencyMax": numbers,
    "period": numbers,
    "periodMax": numbers,
    "count": numbers,
    "countMax": numbers,
    "duration": numbers,
    "durationMax": numbers,
    "boundsRange": ranges,
    "boundsPeriod": some(start=st.just(YEAR), end=st.just(YEAR)) | st.just({"start": WORD}),
    "timeOfDay": st.lists(words, min_size=1, max_size=2),
    "offset": numbers,
    "unheard": texts,
    "modifierExtension": st.just([{"url": "urn:x", "valueString": WORD}]),
}
codes = concepts | st.sampled_from([{"coding": [{"code": "BID"}], "text": WORD}, {"coding": [{"code": "QD"}]}])
timings = {
    "code": codes,
    "event": st.sampled_from([[YEAR], [{"odd": WORD}]]),
    "unheard": texts,
    "modifierExtension": st.just([{"url": "urn:x", "valueInteger": NUMBER}]),
}
doses = {"doseRange": ranges, "rateRatio": ratios}
always = {
    "patientInstruction": texts,
    "asNeededBoolean": texts,
    "asNeededCodeableConcept": concepts,
    "maxDosePerPeriod": ratios,
    "modifierExtension": st.just([{"url": "urn:x", "valueString": WORD}]),
    "unheard": texts,
}
parts = {**always, "sequence": odd, "route": concepts, "method": concepts}
dstu2 = some(
    **parts,
    **doses,
    doseQuantity=quantities,
    quantityRange=ranges,
    siteCodeableConcept=concepts,
    additionalInstructions=concepts,
    timing=some(
        **timings,
        repeat=some(
            **repeats, periodUnits=times, durationUnits=times, boundsQuantity=quantities, when=st.sampled_from([WORD])
        ),
    ),
)
r4_amounts = some(**doses, doseQuantity=quantities, rateQuantity=quantities, type=concepts, unheard=texts)
r4 = some(
    **parts,
    site=concepts,
    additionalInstruction=st.lists(concepts, min_size=1, max_size=2),
    doseAndRate=st.lists(r4_amounts, min_size=1, max_size=2) | odd,
    maxDosePerAdministration=quantities,
    maxDosePerLifetime=quantities,
    timing=some(
        **timings,
        repeat=some(
            **repeats,
            periodUnit=times,
            durationUnit=times,
            boundsDuration=quantities,
            when=st.lists(words | st.just("MORN"), min_size=1, max_size=2),
            dayOfWeek=st.lists(words, min_size=1, max_size=2),
        ),
    )
    | odd,
)

AROUND: Final = {"value": NUMBER, "unit": "mg", "comparator": WORD}  # about so much


def planted(shape: Any, found: list[str]) -> Any:
    """The shape with a canary of its own in each place; `found` gains them in their order."""
    if isinstance(shape, dict):
        return {name: planted(part, found) for name, part in shape.items()}
    if isinstance(shape, list):
        return [planted(part, found) for part in shape]
    if shape not in {WORD, NUMBER, YEAR}:
        return shape
    number = 1009 + 2 * len(found)  # of four digits, so that none stands in another
    found.append(f"canary{number}" if shape == WORD else str(number))
    return found[-1] if shape != NUMBER else number


def untold(sent: dict[str, Any]) -> Iterator[str]:
    """The canaries of this dosage that nobody is told."""
    canaries: list[str] = []
    content = planted(sent, canaries)
    read = dosages.read({"dosageInstruction": [content]})
    told = " ".join(line for dosage in read for line in dosage_words.lines(dosage)).casefold()
    return (canary for canary in canaries if canary not in told)


class TestADosage:
    @settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
    @given(dstu2 | r4)
    @example({"timing": {"repeat": {"boundsRange": {"low": {"value": NUMBER, "code": WORD}, "high": AROUND}}}})
    def test_is_told_with_every_part_of_it(self, sent):
        assert not list(untold(sent))

    @settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
    @given(words, some(**always, additionalInstruction=concepts))
    def test_with_a_text_is_told_with_all_that_a_text_may_leave_to_the_parts(self, text, sent):
        assert not list(untold({"text": text, **sent}))
