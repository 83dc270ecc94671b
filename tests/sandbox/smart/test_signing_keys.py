"""The signing keys of interface B, and the key set in which they are published."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.sandbox import clock, scenarios
from apps.sandbox.models import KeyPurpose, SigningKey
from apps.sandbox.smart.identity import signing_keys

pytestmark = pytest.mark.django_db

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
PRIVATE = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}


@pytest.fixture
def published(client):
    """Reads the key set the way a client does."""

    def published():
        response = client.get("/b/authorization/jwk")
        assert response.status_code == 200
        return response.json()["keys"]

    return published


class TestTheKeySet:
    @pytest.mark.conformance("X67")
    def test_holds_nine_keys_of_three_kinds_and_three_generations(self, published):
        keys = published()
        assert len(keys) == len({key["kid"] for key in keys}) == 9
        assert [(key["kty"], key.get("crv"), key["alg"]) for key in keys] == [
            ("EC", "P-256", "ES256"),
            ("EC", "P-384", "ES384"),
            ("RSA", None, "RS256"),
        ] * 3

    def test_has_ids_with_colons_and_dots(self, published):
        assert all(":" in key["kid"] and "." in key["kid"] for key in published())

    def test_never_shows_a_private_member(self, published):
        assert not PRIVATE & {member for key in published() for member in key}

    def test_may_be_read_from_every_origin_and_kept_for_a_while(self, client):
        response = client.get("/b/authorization/jwk")
        assert response["Access-Control-Allow-Origin"] == "*"
        assert response["Cache-Control"] == "max-age=3600"
        assert client.post("/b/authorization/jwk").status_code == 405

    @pytest.mark.conformance("X67")
    def test_turns_over_every_two_days(self, published):
        clock.set_to(AT)
        before = {key["kid"] for key in published()}
        clock.set_to(AT + timedelta(days=2))
        after = {key["kid"] for key in published()}
        assert len(after) == 9
        assert len(before & after) == 6

    @pytest.mark.parametrize(("mode", "count"), [("whole", 9), ("without-newest", 6), ("empty", 0), ("doubled", 27)])
    def test_differs_on_request(self, published, mode, count):
        scenarios.choose("jwks", mode)
        assert len(published()) == count

    def test_can_lack_exactly_the_key_that_signs(self, published):
        scenarios.choose("jwks", "without-newest")
        assert signing_keys.newest(KeyPurpose.IDENTITY, at=clock.now()).kid not in {key["kid"] for key in published()}

    def test_can_be_away(self, client):
        scenarios.choose("jwks", "down")
        assert client.get("/b/authorization/jwk").status_code == 503


class TestRotation:
    def test_by_hand_makes_a_generation_that_signs_from_now_on(self, db):
        old = signing_keys.newest(KeyPurpose.IDENTITY, at=AT).kid
        signing_keys.rotate(at=AT)
        assert signing_keys.newest(KeyPurpose.IDENTITY, at=AT).kid == "2026-03-02T09:30:00.000.rsa" != old
        assert len(signing_keys.key_set(at=AT)["keys"]) == 9
        assert SigningKey.objects.exclude(retired_at=None).count() == 3

    def test_keeps_what_was_signed_before_readable(self, db):
        token = signing_keys.sign({"a": 1}, purpose=KeyPurpose.ACCESS, at=AT)
        for minutes in range(4):
            signing_keys.rotate(at=AT + timedelta(minutes=minutes))
        assert signing_keys.read(token, purpose=KeyPurpose.ACCESS) == {"a": 1}


class TestAToken:
    def test_of_one_purpose_is_none_of_the_other(self, db):
        for purpose, other in ((KeyPurpose.ACCESS, KeyPurpose.IDENTITY), (KeyPurpose.IDENTITY, KeyPurpose.ACCESS)):
            token = signing_keys.sign({"a": 1}, purpose=purpose, at=AT)
            assert signing_keys.read(token, purpose=purpose) == {"a": 1}
            with pytest.raises(signing_keys.Forged):
                signing_keys.read(token, purpose=other)

    @pytest.mark.parametrize(
        "token",
        ["", "a", "a.b.c", "é.é.é", "eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJub25lIiwia2lkIjoieC5wMjU2In0.e30."],
    )
    def test_that_is_none_is_forged(self, db, token):
        with pytest.raises(signing_keys.Forged):
            signing_keys.read(token, purpose=KeyPurpose.ACCESS)

    def test_that_was_altered_is_forged(self, db):
        head, payload, signature = signing_keys.sign({"a": 1}, purpose=KeyPurpose.ACCESS, at=AT).split(".")
        for altered in (f"{head}.{payload}.{signature[:-4]}AAAA", f"{head}.eyJhIjoyfQ.{signature}"):
            with pytest.raises(signing_keys.Forged):
                signing_keys.read(altered, purpose=KeyPurpose.ACCESS)
