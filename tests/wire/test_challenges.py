"""Why a token was refused, from the Bearer challenge, which is found only where the grammar allows it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.wire import challenges
from apps.wire.errors import Code
from tests.effort import at_most


class TestAChallenge:
    @pytest.mark.parametrize(
        ("header", "code"),
        [
            # seen live: interface facts 3.11
            (
                'Bearer realm="fhir.example", error="invalid_token", error_description="Token has expired"',
                Code.INVALID_TOKEN,
            ),
            ('Bearer error="insufficient_scope", scope="patient/Goal.read"', Code.INSUFFICIENT_SCOPE),
            ('bearer ERROR = "invalid_token"', Code.INVALID_TOKEN),
            ("Bearer error=invalid_token", Code.INVALID_TOKEN),
            ("Bearer error=invalid_token,realm=x", Code.INVALID_TOKEN),
            ('Basic realm="x", Bearer realm="y", error="invalid_token"', Code.INVALID_TOKEN),
            ('Bearer error="invalid_token", Basic realm="x"', Code.INVALID_TOKEN),
            ('Negotiate, Bearer error="invalid_request"', Code.INVALID_REQUEST),
            ('Bearer , , error="invalid_token"', Code.INVALID_TOKEN),
            ('Bearer realm="say \\"error=\\", please", error="invalid_token"', Code.INVALID_TOKEN),
        ],
    )
    def test_names_its_reason(self, header, code):
        assert challenges.reason(header) is code

    @pytest.mark.parametrize(
        "header",
        [
            "",
            "Bearer",
            'Bearer realm="x"',
            'Bearer error="canary"',
            'Bearer error=""',
            "Bearer error",
            'Bearer error_description="error=invalid_token"',
            'Bearer realm="error=invalid_token"',
            'Bearer realm="x, error=invalid_token"',
            'Bearer realm="\\", error=invalid_token"',
            'Bearer x_error="invalid_token"',
            'Basic error="invalid_token"',
            'Bearer realm="x", Basic error="invalid_token"',
            'Bearer realm="never closed, error="invalid_token"',
            'error="invalid_token"',
            "Bearer " + "a=b, " * 5000 + 'error="invalid_token"',
            'Bearer error="timed_out"',
        ],
    )
    def test_names_none_where_there_is_none(self, header):
        assert challenges.reason(header) is Code.UNRECOGNIZED

    def test_takes_no_time_over_a_long_one(self):
        with at_most(million_steps=100):
            for letter in ('"', "\\", "a", "=", ",", " ", 'a="'):
                challenges.reason("Bearer " + letter * 200_000)

    @given(st.text(max_size=80) | st.text('Bearer error="invalid_tokn,\\ ', max_size=60))
    def test_is_read_without_harm_whatever_it_is(self, header):
        assert challenges.reason(header) in Code
