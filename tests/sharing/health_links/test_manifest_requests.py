"""Manifest requests of programs: the specification's own example, and everything else that may arrive."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sharing.health_links.manifest_requests import LONGEST_BODY, LONGEST_RECIPIENT, ManifestRequest, Refusal, read

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
MEMBERS = dict.fromkeys(("recipient", "passcode", "embeddedLengthMax", "extension", "_own"), VALUES)


def asked(**members):
    return read(json.dumps({"recipient": "Harbor Clinic", **members}).encode())


class TestARequest:
    def test_has_what_was_asked(self):
        request = asked(passcode="493201", embeddedLengthMax=4096)
        assert request == ManifestRequest("Harbor Clinic", "493201", 4096)

    def test_needs_no_more_than_a_recipient(self):
        assert asked() == ManifestRequest("Harbor Clinic", "", None)

    def test_may_have_what_nobody_knows(self):
        assert asked(extension=[{"url": "x"}], _own={"a": [None]}) == asked()

    def test_may_say_that_it_has_none(self):
        assert asked(passcode=None, embeddedLengthMax=None) == asked()

    def test_has_a_passcode_as_it_was_sent(self):
        assert asked(passcode=" 493 201\n").passcode == " 493 201\n"

    @pytest.mark.parametrize("length", [0, 1, 2**53 - 1, 2**80, 4096.0])
    def test_may_take_any_length(self, length):
        longest = asked(embeddedLengthMax=length).embedded_length_max
        assert (type(longest), longest) == (int, length)

    def test_names_its_recipient_on_one_line(self):
        request = asked(recipient="\ufeff Dr.\u202e  Green\r\n\x00\x1b[31mClinic\u2066 ")
        assert request.recipient == "Dr. Green [31mClinic"

    def test_names_a_recipient_of_any_language(self):
        assert asked(recipient="Clínica Ñandú 東京 🩺").recipient == "Clínica Ñandú 東京 🩺"

    def test_keeps_the_beginning_of_a_long_recipient(self):
        assert asked(recipient="x" * 100).recipient == "x" * 100
        assert asked(recipient="x" * 5_000).recipient == f"{'x' * 99}…"

    def test_shows_nothing_of_itself(self):
        request = asked(recipient="canary", passcode="493201")
        assert f"{request!r} {request!s}" == "<ManifestRequest> <ManifestRequest>"


class TestARefusal:
    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b" ",
            b"{",
            b"recipient=Harbor",
            b'{"recipient":"Harbor"} x',
            b'{"recipient":"\xff"}',
            b'{"recipient":"\\ud800"}',
            b"{'recipient':'Harbor'}",
            b'{"recipient":NaN}',
            b'{"recipient":"Harbor","embeddedLengthMax":1e999}',
            b'{"recipient":"Harbor","embeddedLengthMax":' + b"9" * 6_000 + b"}",
            b"[" * LONGEST_BODY,
            '{"recipient":"Harbor"}'.encode("utf-16"),
        ],
    )
    def test_is_given_to_what_is_no_json(self, body):
        assert read(body) is Refusal.NOT_JSON

    def test_may_be_given_to_what_is_nested_too_deep(self):
        """How deep that is differs between versions of Python."""
        body = b'{"recipient":"Harbor","x":' + b"[" * 8_000 + b"]" * 8_000 + b"}"
        assert read(body) in {Refusal.NOT_JSON, ManifestRequest("Harbor", "", None)}

    @pytest.mark.parametrize("body", [b"[]", b'"Harbor"', b"null", b"7", b"true"])
    def test_is_given_to_what_is_no_object(self, body):
        assert read(body) is Refusal.NOT_AN_OBJECT

    @pytest.mark.parametrize("recipient", [None, "", "  ", "\u202e\x00\n", 7, True, ["Harbor"], {"name": "Harbor"}])
    def test_is_given_to_whoever_does_not_say_who_they_are(self, recipient):
        assert asked(recipient=recipient) is Refusal.NO_RECIPIENT

    def test_is_given_to_a_request_that_names_no_recipient_at_all(self):
        assert read(b'{"passcode":"493201"}') is Refusal.NO_RECIPIENT

    @pytest.mark.parametrize("passcode", [493201, True, ["493201"], {"passcode": "493201"}, 1.5])
    def test_is_given_to_a_passcode_that_is_no_text(self, passcode):
        assert asked(passcode=passcode) is Refusal.ODD_PASSCODE

    @pytest.mark.parametrize("length", [-1, -0.5, 0.5, True, False, "4096", [], {}, -(2**70)])
    def test_is_given_to_a_length_that_is_no_whole_number(self, length):
        assert asked(embeddedLengthMax=length) is Refusal.ODD_LENGTH

    def test_is_given_to_a_body_that_is_too_large(self):
        body = json.dumps({"recipient": "Harbor"}).encode()
        assert isinstance(read(body.ljust(LONGEST_BODY)), ManifestRequest)
        assert read(body.ljust(LONGEST_BODY + 1)) is Refusal.TOO_LARGE

    def test_has_a_status_that_says_whose_fault_it_is(self):
        assert {refusal.status for refusal in Refusal} == {400, 413}
        assert len({refusal.code for refusal in Refusal}) == len(Refusal)


class TestWhateverIsPosted:
    """It is answered, never raised; and what is kept of it can be stored and shown."""

    @given(st.binary(max_size=200))
    def test_of_bytes_is_read_or_refused(self, body):
        assert isinstance(read(body), ManifestRequest | Refusal)

    @given(st.fixed_dictionaries({}, optional=MEMBERS))
    def test_of_json_is_read_or_refused(self, sent):
        told(read(json.dumps(sent).encode()), sent)

    @given(st.text(max_size=300))
    def test_of_names_can_be_kept(self, name):
        told(asked(recipient=name), {"recipient": name})


def told(request, sent):
    if isinstance(request, Refusal):
        return
    assert request.recipient
    assert len(request.recipient) <= LONGEST_RECIPIENT
    assert not {unicodedata.category(character) for character in request.recipient} & {"Cc", "Cf", "Cs"}
    assert request.recipient == " ".join(request.recipient.split())
    assert request.passcode == (sent.get("passcode") or "")
    assert request.embedded_length_max is None or request.embedded_length_max >= 0
