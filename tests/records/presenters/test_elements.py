"""Elements can be read whatever they contain."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.records.presenters import allergies, care_plans, elements, immunizations
from apps.records.presenters.dosing import dosages
from apps.records.presenters.entry import Context
from tests.records.presenters.oddities import ANYTHING, odd

NAMES = ("text", "coding", "extension", "value", "name")


def parsed(content):
    return elements.parse(json.dumps(content).encode("utf-8", "surrogatepass"))


class TestReadingElements:
    @given(odd(*NAMES), st.sampled_from(NAMES))
    def test_never_raises(self, content, name):
        for element in (content, parsed(content)):
            assert isinstance(elements.text(element, name), str)
            assert all(text for text in elements.texts(element, name))
            assert isinstance(elements.child(element, name), dict)
            assert all(isinstance(child, dict) for child in elements.children(element, name))
            assert all(isinstance(code, str) for code in elements.codes(element))
            assert isinstance(elements.words(element), str)
            assert isinstance(elements.absent_reason(element), str)
            found = elements.number(element, name)
            assert found is None or found.is_finite()

    @given(st.text(alphabet=st.characters(), max_size=60))
    def test_gives_text_that_can_be_stored(self, sent):
        shown = elements.shown(sent)
        shown.encode()
        assert "\x00" not in shown

    @pytest.mark.parametrize(
        ("sent", "shown"),
        [(" a\x00b ", "ab"), ("a\ud800b", "ab"), ("a\u202eb", "ab"), ("a\nb", "a\nb"), ("a\x1b[1mb", "a[1mb")],
    )
    def test_takes_out_what_no_page_can_hold_and_keeps_lines(self, sent, shown):
        assert elements.shown(sent) == shown

    @pytest.mark.parametrize("letter", ["a", "\n"])
    def test_leaves_no_pile_of_accents_that_would_cover_a_page(self, letter):
        sent = {"name": f"Cafe\u0301 {letter}" + "\u0301" * 300 + "b"}
        kept = f"Cafe\u0301 {letter}" + "\u0301" * 4 + "b"
        assert elements.text(sent, "name") == elements.shown(sent["name"]) == elements.prose(sent["name"]) == kept

    @pytest.mark.parametrize(
        ("sent", "meant"),
        [
            ("St. John&#39;s wort", "St. John's wort"),
            ("Salt &amp; water", "Salt & water"),
            ("&quot;Mild&quot; pain", '"Mild" pain'),
            ("Glucose &lt; 5 &#x3C; 6", "Glucose < 5 < 6"),
            ("&lt;b&gt;Mild&lt;/b&gt;", "<b>Mild</b>"),
            ("&amp;#39; is a sign", "&#39; is a sign"),
            ("a&#x202e;b&#0;c", "ab\ufffdc"),
            ("AT&T, R&D; a &copy b &#39 &bogus;", "AT&T, R&D; a &copy b &#39 &bogus;"),
            ("https://a.example/b?c=1&amp;d=2", "https://a.example/b?c=1&amp;d=2"),
        ],
    )
    def test_says_the_signs_that_were_meant_once(self, sent, meant):
        assert elements.text({"name": sent}, "name") == elements.shown(sent) == elements.prose(sent) == meant
        assert elements.texts({"name": [sent]}, "name") == (meant,)

    @given(ANYTHING)
    def test_shows_nothing_but_text(self, sent):
        assert isinstance(elements.shown(sent), str)
        assert isinstance(sent, str) or elements.shown(sent) == ""


class TestAListWithoutEnd:
    def test_is_read_as_far_as_anybody_would(self):
        sent = {"coding": [{"text": "a"}] * 10_000, "line": ["a"] * 10_000}
        assert len(list(elements.children(sent, "coding"))) == elements.MOST_REPEATED
        assert len(elements.texts(sent, "line")) == elements.MOST_REPEATED

    @pytest.mark.parametrize(
        ("present", "name", "sent", "read"),
        [
            (dosages.read, "dosageInstruction", {"text": "a"}, (dosages, "_dosage")),
            (allergies.present, "reaction", {"description": "a"}, (allergies, "_reaction")),
            (care_plans.present, "activity", {"detail": {"description": "a"}}, (care_plans, "_activity")),
            (
                immunizations.present_recommendation,
                "recommendation",
                {"vaccineCode": {"text": "a"}},
                (immunizations, "_recommendation"),
            ),
        ],
    )
    def test_is_presented_no_further_than_it_is_shown(self, present, name, sent, read, monkeypatch):
        presented = []
        original = getattr(*read)

        def counted(*given):
            presented.append(given)
            return original(*given)

        monkeypatch.setattr(*read, counted)
        present({name: [sent] * 500}, *([] if present is dosages.read else [Context()]))
        assert 30 <= len(presented) <= 50


class TestParsing:
    @given(st.binary(max_size=200))
    def test_never_raises_for_bytes_that_are_no_json(self, body):
        assert isinstance(elements.parse(body), dict)

    @pytest.mark.parametrize("body", [b"[" * 200_000, b'{"a":' * 100_000, b'{"a":' + b"1" * 6000 + b"}", b"", b"\xff"])
    def test_never_raises_for_bodies_made_to_hurt(self, body):
        assert elements.parse(body) == {}

    def test_loses_one_absurd_number_and_not_the_resource(self):
        assert elements.parse(b'{"a": 1e99999999999999999999, "b": "here"}') == {"a": None, "b": "here"}

    def test_reads_a_body_that_begins_with_a_byte_order_mark(self):
        assert elements.parse(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


class TestNumber:
    @pytest.mark.parametrize("sent", ["5.10", "0.0", "-3", "1e5", "120"])
    def test_keeps_the_digits_it_was_sent_with(self, sent):
        found = elements.number(elements.parse(b'{"value": %s}' % sent.encode()), "value")
        assert found == Decimal(sent)
        assert str(found) == str(Decimal(sent))

    def test_is_read_from_a_text(self):
        assert elements.number({"value": " 5.10 "}, "value") == Decimal("5.10")

    @pytest.mark.parametrize("sent", [None, True, "", "many", "1_000", "NaN", "Infinity", "\u0661\u0662", [5], "1e99"])
    def test_is_none_for_what_is_none(self, sent):
        assert elements.number({"value": sent}, "value") is None

    def test_is_none_for_an_integer_too_long_to_be_written(self):
        assert elements.number({"value": 10**5000}, "value") is None


class TestAbsentReason:
    @pytest.mark.parametrize("place", ["hl7.org/fhir/StructureDefinition", "hl7.org/fhir/extension"])
    def test_is_found_at_either_address(self, place):
        extension = {"url": f"http://{place}/data-absent-reason", "valueCode": "masked"}
        assert elements.absent_reason({"extension": [{"url": "http://other"}, extension]}) == "masked"

    def test_is_empty_where_there_is_none(self):
        assert elements.absent_reason({"extension": [{"url": "http://other", "valueCode": "masked"}]}) == ""
