"""The link and its payload, as a program reads them."""

import base64
import json
import re
import traceback
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sharing.health_links.links import Flag, HealthLink, fitting_label
from tests.sharing import receiving

KEY = bytes(range(32))
TOKEN = "I91rhba3VsuGXGchcnr6VHlQFKxfE28kuZ0ssbEuxno"
URL = f"https://shl.example.org/manifests/{TOKEN}/manifest.json"

# The example of the specification, "Example SMART Health Link Generation".
THEIRS = (
    "shlink:/eyJ1cmwiOiJodHRwczovL2Voci5leGFtcGxlLm9yZy9xci9ZOXh3a1VkdG1OOXd3b0pvTjNmZkpJaFgyVUd2Q0wxSm5sUFZOTDNrRFdNL"
    "20iLCJmbGFnIjoiTFAiLCJrZXkiOiJyeFRnWWxPYUtKUEZ0Y0VkMHFjY2VOOHdFVTRwOTRTcUF3SVdRZTZ1WDdRIiwibGFiZWwiOiJCYWNrLXRvLX"
    "NjaG9vbCBpbW11bml6YXRpb25zIGZvciBPbGl2ZXIgQnJvd24ifQ"
)


def link(**given):
    return HealthLink(**{"url": URL, "key": KEY, **given})


def payload(**given):
    return receiving.payload_of(link(**given).uri())


def utf_16(text):
    return len(text.encode("utf-16-le")) // 2


class TestALink:
    def test_says_what_the_specification_s_own_example_says(self):
        ours = HealthLink(
            url="https://ehr.example.org/qr/Y9xwkUdtmN9wwoJoN3ffJIhX2UGvCL1JnlPVNL3kDWM/m",
            key=base64.urlsafe_b64decode("rxTgYlOaKJPFtcEd0qcceN8wEU4p94SqAwIWQe6uX7Q="),
            flags=frozenset({Flag.PASSCODE, Flag.LONG_TERM}),
            label="Back-to-school immunizations for Oliver Brown",
        )
        assert receiving.payload_of(ours.uri()) == receiving.payload_of(THEIRS)

    def test_has_no_more_than_it_needs(self):
        key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
        assert payload(flags=frozenset()) == {"url": URL, "key": key}

    def test_asks_for_a_passcode_unless_it_is_told_otherwise(self):
        assert payload()["flag"] == "P"

    @pytest.mark.parametrize(
        ("flags", "said"),
        [({Flag.LONG_TERM, Flag.PASSCODE}, "LP"), ({Flag.DIRECT, Flag.LONG_TERM}, "LU"), ({Flag.LONG_TERM}, "L")],
    )
    def test_has_its_flags_in_the_order_of_the_alphabet(self, flags, said):
        assert payload(flags=frozenset(flags))["flag"] == said

    def test_ends_at_a_whole_second_since_1970(self):
        at = datetime(2026, 1, 1, 0, 0, 0, 900_000, tzinfo=UTC)
        assert payload(expires_at=at)["exp"] == 1_767_225_600

    def test_is_written_in_ascii(self):
        encoded = link(label="Señor Muñoz 🩺").uri().removeprefix("shlink:/")
        written = receiving.decoded(encoded)
        assert written.isascii()
        assert json.loads(written)["label"] == "Señor Muñoz 🩺"

    def test_follows_a_viewer_that_ends_in_a_hash(self):
        prefixed = link().uri("https://holdfast.example/open#")
        assert prefixed == f"https://holdfast.example/open#{link().uri()}"
        assert receiving.payload_of(prefixed)["url"] == URL

    @pytest.mark.parametrize("viewer", ["https://a.example/", "https://a.example/#x#", "#", "javascript:x#", "//a#"])
    def test_follows_no_other_viewer(self, viewer):
        with pytest.raises(ValueError, match="viewer"):
            link().uri(viewer)

    def test_can_have_an_address_of_128_characters_and_none_longer(self):
        longest = f"https://a.example/{TOKEN}/".ljust(128, "x")
        assert payload(url=longest)["url"] == longest
        with pytest.raises(ValueError, match="128"):
            link(url=f"{longest}x")

    @pytest.mark.parametrize(
        "url",
        [
            f"http:///{TOKEN}",
            f"/{TOKEN}",
            f"//a.example/{TOKEN}",
            f"ftp://a.example/{TOKEN}",
            f"https://eve@a.example/{TOKEN}",
            f"https://a.example/{TOKEN}#x",
            f"https://a.example/{TOKEN}#",
            f"https://a.example/{TOKEN} x",
            f"https://a.example/{TOKEN}\n",
            f"https://á.example/{TOKEN}",
            f"https://[a.example/{TOKEN}",
        ],
    )
    def test_leads_to_a_whole_address_alone(self, url):
        with pytest.raises(ValueError, match="whole"):
            link(url=url)

    @pytest.mark.parametrize("path", [TOKEN[:-1], f"{TOKEN[:30]}/{TOKEN[30:]}", "", f"?{TOKEN}"])
    def test_has_an_address_that_nobody_guesses(self, path):
        with pytest.raises(ValueError, match="256"):
            link(url=f"https://a.example/{path}")

    @pytest.mark.parametrize("length", [0, 16, 31, 33, 43])
    def test_has_a_key_of_32_bytes(self, length):
        with pytest.raises(ValueError, match="32"):
            link(key=bytes(length))

    def test_cannot_ask_for_a_passcode_where_it_leads_to_the_file(self):
        with pytest.raises(ValueError, match="passcode"):
            link(flags=frozenset({Flag.PASSCODE, Flag.DIRECT}))

    def test_ends_at_a_moment_that_has_a_zone(self):
        with pytest.raises(ValueError, match="zone"):
            link(expires_at=datetime(2026, 1, 1))  # noqa: DTZ001

    @pytest.mark.parametrize("label", ["x" * 80, "🩺" * 40])
    def test_can_have_a_label_of_80_characters(self, label):
        assert payload(label=label)["label"] == label

    @pytest.mark.parametrize("label", ["x" * 81, "🩺" * 41])
    def test_can_have_none_that_is_longer(self, label):
        with pytest.raises(ValueError, match="80"):
            link(label=label)

    def test_shows_nothing_of_itself(self):
        label = "Oliver Brown"
        shown = f"{link(label=label)!r} {link(label=label)!s} {[link(label=label)]}"
        assert not re.search(rf"{TOKEN}|Oliver|AAEC|x00", shown)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"url": f"https://canary@a.example/{TOKEN}"},
            {"url": "canary" * 30},
            {"url": "https://a.example/canary"},
            {"key": b"canary"},
            {"label": "canary" * 20},
        ],
    )
    def test_is_refused_without_saying_what_was_given(self, wrong):
        with pytest.raises(ValueError, match="health link") as refused:
            link(**wrong)
        told = "".join(traceback.format_exception(refused.value)).split('raise ValueError("')[-1]
        assert not re.search(rf"canary|{TOKEN}", told)
        assert refused.value.__context__ is None


class TestALabel:
    def test_stays_where_it_fits(self):
        assert fitting_label("Summary of Oliver Brown") == "Summary of Oliver Brown"
        assert fitting_label("x" * 80) == "x" * 80

    def test_is_cut_at_a_word(self):
        cut = fitting_label("Resumen de salud para la consulta de cardiología del martes por la mañana en el Hospital")
        assert cut == "Resumen de salud para la consulta de cardiología del martes por la mañana en el…"

    def test_is_cut_after_a_word_that_just_fits(self):
        assert fitting_label(f"{'x' * 79} yy") == f"{'x' * 79}…"

    def test_is_cut_within_a_word_that_has_no_end(self):
        assert fitting_label("x" * 200) == f"{'x' * 79}…"

    def test_is_not_cut_within_an_emoji(self):
        assert fitting_label("🩺" * 50) == f"{'🩺' * 39}…"

    def test_is_on_one_line_without_signs_that_turn_it(self):
        assert fitting_label("For\n Dr.\t\u202eGreen\x00 ") == "For Dr. Green"

    @given(st.text(max_size=200))
    def test_always_fits_into_a_link(self, text):
        label = fitting_label(text)
        assert utf_16(label) <= 80
        assert payload(label=label).get("label", "") == label
