"""A laboratory's interpretation of a value becomes one of our fixed words, or stays as it was sent."""

import pytest

from apps.records.presenters.observations import interpretations
from apps.records.presenters.observations.interpretations import Place

V2 = "http://hl7.org/fhir/v2/0078"
V3 = "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation"


def coded(*codes, system=V3):
    return [{"coding": [{"system": system, "code": code}]} for code in codes]


class TestAnInterpretation:
    @pytest.mark.parametrize(
        ("code", "place"),
        [
            ("N", Place.WITHIN),
            ("H", Place.ABOVE),
            ("HU", Place.ABOVE),
            ("L", Place.BELOW),
            ("HH", Place.FAR_ABOVE),
            ("LL", Place.FAR_BELOW),
            ("AA", Place.FAR_OUTSIDE),
            ("A", Place.OUTSIDE),
            ("<", Place.UNMEASURED_BELOW),
            (">", Place.UNMEASURED_ABOVE),
            ("POS", Place.FOUND),
            ("ND", Place.NOT_FOUND),
            ("IND", Place.UNDETERMINED),
            ("S", Place.WORKS),
            ("I", Place.MAY_WORK),
            ("R", Place.DOES_NOT_WORK),
            ("NS", Place.NOT_SHOWN_TO_WORK),
        ],
    )
    def test_is_read_alike_from_both_versions(self, code, place):
        dstu2 = {"interpretation": coded(code, system=V2)[0]}
        r4 = {"interpretation": coded(code)}
        assert interpretations.read(dstu2) == interpretations.read(r4) == (place, ())

    @pytest.mark.parametrize(
        ("text", "place"), [("HI", Place.ABOVE), ("LOW", Place.BELOW), ("ABN", Place.OUTSIDE), ("NA", "")]
    )
    def test_in_a_vendors_code_is_decided_by_its_text(self, text, place):
        sent = [{"coding": [{"system": "urn:local", "code": "207", "display": text}], "text": text}]
        assert interpretations.read({"interpretation": sent}) == (place, ())

    @pytest.mark.parametrize(("text", "place"), [("H", Place.ABOVE), ("ll", Place.FAR_BELOW), ("POS", Place.FOUND)])
    def test_in_a_text_alone_may_be_the_letter_of_a_code(self, text, place):
        assert interpretations.read({"interpretation": [{"text": text}]}) == (place, ())
        beside = {"coding": [{"system": "urn:local", "code": "207"}], "text": text}
        assert interpretations.read({"interpretation": [beside]}) == ("", (text,))

    @pytest.mark.parametrize("code", ["U", "D", "B", "W", "MS"])
    def test_that_we_have_no_word_for_stays_the_providers(self, code):
        sent = [{"coding": [{"system": V3, "code": code, "display": "Better, they say"}]}]
        assert interpretations.read({"interpretation": sent}) == ("", ("Better, they say",))

    @pytest.mark.parametrize(
        ("codes", "place"),
        [(("A", "H"), Place.ABOVE), (("H", "HH"), Place.FAR_ABOVE), (("L", "<"), Place.UNMEASURED_BELOW)],
    )
    def test_of_two_that_agree_is_the_one_that_says_more(self, codes, place):
        assert interpretations.read({"interpretation": coded(*codes)})[0] == place

    def test_that_contradicts_itself_is_told_in_the_providers_words(self):
        assert interpretations.read({"interpretation": coded("H", "L")}) == ("", ("H", "L"))

    def test_in_another_system_does_not_count_by_its_letter(self):
        assert interpretations.read({"interpretation": coded("H", system="urn:local")})[0] == ""

    def test_is_nothing_where_nothing_is_said(self):
        assert interpretations.read({}) == ("", ())
