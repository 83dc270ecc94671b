"""The last filter of the log removes what looks like a secret, and keeps what operators need."""

import base64
import json
import secrets

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config import redaction
from tests.effort import at_most

CANARY = "CANARYb71f"

AN_ID = "219403b1-ab7c-4885-ab0a-efba18472987"  # a fixed one: test processes must agree on the names of tests


class TestText:
    @pytest.mark.parametrize(
        "text",
        [
            f"https://a.example/token?grant_type=x&client_secret={CANARY}",
            f"GET /callback?code={CANARY}&state={CANARY} HTTP/1.1",
            f"/callback?{CANARY}",
            f"Authorization: Bearer {CANARY}",
            f"authorization: basic {CANARY}",
            f"'Authorization': 'Bearer {CANARY}'",
            f"Bearer%20{CANARY}",
            f"code={CANARY}",
            f"state={CANARY}, next",
            f"(token={CANARY})",
            f"refresh_token={CANARY}&x=1",
            f"client_secret: {CANARY}",
            f"secret = '{CANARY} with spaces'",
            f'{{"access_token": "{CANARY}", "expires_in": 570}}',
            f'{{"id_token":"{CANARY}"}}',
            f"{{'state': '{CANARY}'}}",
            f"client_assertion={CANARY}",
            f"code_verifier={CANARY}",
            f"Cookie: sessionid={CANARY}",
            f"code%3D{CANARY}",
            f"PASSWORD={CANARY}",
            f"eyJhbGciOiJSUzI1NiJ9.{CANARY}.{CANARY}",
        ],
    )
    def test_loses_its_canary(self, text):
        assert CANARY not in redaction.scrub_text(text)

    @given(length=st.integers(24, 400))
    def test_loses_random_tokens_of_any_alphabet(self, length):
        random = secrets.token_bytes(length)
        for token in (
            base64.b64encode(random).decode(),
            base64.urlsafe_b64encode(random).decode(),
            random.hex(),
            f"-{secrets.token_urlsafe(length)}",
        ):
            # base64 of few bytes may hold no digit: one in 200 at 24 bytes, none that matters at 32
            if any(char.isdigit() for char in token) and not token.startswith("/"):
                assert token not in redaction.scrub_text(f"got {token} from them")

    @pytest.mark.parametrize(
        "text",
        [
            "step ended after 12 pages",
            f"connection {AN_ID} was refreshed",
            f"/connections/{AN_ID}/records/{AN_ID}/",
            "apps.connections.refreshing.test_a_function_with_a_rather_long_name",
            "Is it due? Not yet.",
            "status_code 502 from provider",
            "2026-11-20T09:58:00.123456Z",
            "error_code=invalid_grant",
        ],
    )
    def test_keeps_what_operators_read(self, text):
        assert redaction.scrub_text(text) == text

    @pytest.mark.parametrize("text", ["a" * 200_000, "=" * 200_000, "token" * 40_000, "eyJ." * 50_000, "?" * 200_000])
    def test_takes_little_time_for_long_texts(self, text):
        with at_most(million_steps=100):
            redaction.scrub_text(text)


class TestValue:
    @pytest.mark.parametrize(
        "name",
        [
            "client_secret",
            "access_token",
            "tokens",
            "password",
            "Authorization",
            "HTTP_COOKIE",
            "code",
            "state",
            "code_verifier",
            "assertion",
            "VAULT_PRIVATE_KEY",
            "body",
            "args",
            "query_string",
        ],
    )
    def test_under_a_secret_name_is_taken_out_whole(self, name):
        for value in (CANARY, [CANARY], {"x": CANARY}, CANARY.encode()):
            assert CANARY not in repr(redaction.scrub({"deep": [{name: value}]}))

    def test_that_is_a_number_stays(self):
        assert redaction.scrub({"tokens": 3, "rows": 2, "ok": True, "gap": None}) == {
            "tokens": 3,
            "rows": 2,
            "ok": True,
            "gap": None,
        }

    def test_under_another_name_stays(self):
        given = {"status": "active", "error_code": "invalid_grant", "pages": [1, "two"]}
        assert redaction.scrub(given) == given

    def test_of_any_other_kind_becomes_scrubbed_text(self):
        class Thing:
            def __str__(self):
                return f"thing?{CANARY}"

        assert redaction.scrub([Thing(), CANARY.encode(), ValueError(CANARY)]) == [
            "thing?[removed]",
            "[10 bytes]",
            "ValueError",
        ]

    @given(
        value=st.recursive(
            st.none() | st.booleans() | st.floats() | st.text() | st.binary(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        )
    )
    def test_becomes_plain_data(self, value):
        json.dumps(redaction.scrub(value))

    def test_nested_without_end_is_cut(self):
        endless: list[object] = [CANARY]
        endless.append(endless)
        assert redaction.scrub({"x": endless})
