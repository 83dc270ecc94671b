"""A credential cannot be printed or logged by accident."""

import copy
import json
import pickle

import pytest

from apps.wire.secret import Secret


class TestASecret:
    def test_is_given_back_only_when_asked(self):
        secret = Secret("open sesame")
        assert secret.reveal() == "open sesame"
        assert {str(secret), repr(secret), f"{secret}", f"{secret!r}", "%s" % secret} == {"<secret>"}  # noqa: UP031

    def test_is_never_empty(self):
        with pytest.raises(ValueError, match="never empty"):
            Secret("")

    @pytest.mark.parametrize(
        "give_away", [pickle.dumps, copy.copy, copy.deepcopy, json.dumps, vars, hash], ids=lambda give: give.__name__
    )
    def test_refuses_to_be_copied_out(self, give_away):
        with pytest.raises(TypeError) as refused:
            give_away(Secret("open sesame"))
        assert "sesame" not in str(refused.value)

    def test_equals_a_secret_of_the_same_value_and_nothing_else(self):
        assert Secret("a") == Secret("a")
        assert Secret("a") != Secret("b")
        assert Secret("a") != "a"
        assert Secret("\ud800") == Secret("\ud800")

    def test_is_told_apart_by_its_fingerprint(self):
        # the first half of SHA-256 of "abc" is published in FIPS 180-4: ba7816bf 8f01cfea...
        assert Secret("abc").fingerprint() == "ba7816bf"
