"""Our signing keys: sealed in the database, and good enough for others to verify what they signed."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from joserfc import jwt
from joserfc.jwk import ECKey, JWKRegistry

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import credentials, published_keys, registering, signing
from apps.directory.models import ClientRegistration, SigningKey
from apps.wire.client_authentication import Authentication, assertion
from apps.wire.errors import ClientRejected
from tests.directory.conftest import AT
from tests.directory.smart_deployment import register

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("test")


@pytest.fixture
def registration(root) -> ClientRegistration:
    made: ClientRegistration = register(root.discover())
    return made


def use(key: SigningKey, registration: ClientRegistration) -> None:
    terms = registering.Terms(authentication=Authentication.PRIVATE_KEY_JWT, signing_key=key)
    registering.set_terms(registration, terms, actor=ACTOR, at=AT)


class TestASigningKey:
    @pytest.mark.parametrize(
        ("algorithm", "members"), [("ES384", {"kty": "EC", "crv": "P-384"}), ("RS384", {"kty": "RSA", "e": "AQAB"})]
    )
    def test_signs_what_its_public_half_verifies(self, registration, algorithm, members):
        key = signing.make(algorithm, actor=ACTOR, at=AT)
        use(key, registration)
        assert key.public_jwk.items() >= {**members, "alg": algorithm, "use": "sig", "kid": key.kid}.items()
        signed = assertion(credentials.client(registration), audience="https://login.example/token", at=AT).reveal()
        public = JWKRegistry.import_key(key.public_jwk)
        token = jwt.decode(signed, public, algorithms=[algorithm])
        assert (token.header["kid"], token.claims["sub"]) == (key.kid, "holdfast")

    def test_is_of_a_length_that_lasts(self):
        key = signing.make("RS384", actor=ACTOR, at=AT)
        assert len(key.public_jwk["n"]) * 6 >= 3072

    def test_has_no_id_that_a_command_takes_for_an_option(self, monkeypatch):
        generated = iter(lambda: ECKey.generate_key("P-384"), None)
        awkward = next(pair for pair in generated if pair.thumbprint().startswith("-"))
        usable = next(pair for pair in generated if not pair.thumbprint().startswith("-"))
        pairs = [awkward, usable]
        monkeypatch.setattr(signing, "_generate", lambda _algorithm: pairs.pop(0))
        assert signing.make(actor=ACTOR, at=AT).kid == usable.thumbprint()

    def test_keeps_its_private_half_sealed(self):
        key = signing.make(actor=ACTOR, at=AT)
        opened = signing.open_key(key)
        assert opened is not None
        private = opened.private_jwk.reveal()
        assert '"d"' in private
        assert "d" not in key.public_jwk
        assert b'"d"' not in bytes(key.sealed_private_jwk or b"")
        assert not any(part in str(list(AuditEvent.objects.values())) for part in (private, str(key.public_jwk["x"])))

    def test_opens_in_no_other_place(self):
        one, other = signing.make(actor=ACTOR, at=AT), signing.make(actor=ACTOR, at=AT)
        one.sealed_private_jwk = other.sealed_private_jwk
        with pytest.raises(Exception, match="changed, moved"):
            signing.open_key(one)

    def test_is_not_retired_while_a_registration_needs_it(self, registration):
        key = signing.make(actor=ACTOR, at=AT)
        use(key, registration)
        with pytest.raises(signing.KeyInUse):
            signing.retire(key, actor=ACTOR, at=AT)
        with pytest.raises(signing.KeyInUse):
            signing.supersede(key, actor=ACTOR, at=AT)
        registering.move(registration, registering.Status.RETIRED, actor=ACTOR, at=AT)
        signing.supersede(key, actor=ACTOR, at=AT)
        signing.supersede(key, actor=ACTOR, at=AT + timedelta(days=1))
        for _ in range(2):
            signing.retire(key, actor=ACTOR, at=AT + signing.LEAVES_WITHIN)
        assert (key.superseded_at, key.retired_at) == (AT, AT + signing.LEAVES_WITHIN)
        assert signing.current(at=AT) is None
        actions = AuditEvent.objects.filter(subject="signing key").values_list("facts__action", flat=True)
        assert sorted(actions) == ["made", "retired", "superseded"]

    def test_is_not_retired_while_what_it_signed_may_be_on_its_way(self):
        key = signing.make(actor=ACTOR, at=AT)
        with pytest.raises(signing.StillNeeded):
            signing.retire(key, actor=ACTOR, at=AT + timedelta(days=1000))
        signing.supersede(key, actor=ACTOR, at=AT)
        with pytest.raises(signing.StillNeeded):
            signing.retire(key, actor=ACTOR, at=AT + signing.LEAVES_WITHIN - timedelta(seconds=1))
        assert timedelta(hours=1, minutes=5) < signing.LEAVES_WITHIN

    def test_loses_its_private_half_when_it_is_retired(self):
        key = signing.make(actor=ACTOR, at=AT)
        signing.give_up(key, actor=ACTOR, at=AT)
        row = SigningKey.objects.get()
        assert (row.sealed_private_jwk, row.retired_at, row.public_jwk) == (None, AT, key.public_jwk)
        assert signing.open_key(row) is None
        with pytest.raises(IntegrityError), transaction.atomic():
            SigningKey.objects.update(retired_at=None)

    def test_that_is_retired_proves_nothing(self, registration):
        key = signing.make(actor=ACTOR, at=AT)
        use(key, registration)
        signing.give_up(key, actor=ACTOR, at=AT)
        with pytest.raises(ClientRejected):
            credentials.client(ClientRegistration.objects.get())

    def test_of_today_is_the_newest_of_its_algorithm_that_signs(self):
        first = signing.make(actor=ACTOR, at=AT)
        newest = signing.make(actor=ACTOR, at=AT + timedelta(days=1))
        signing.make("RS384", actor=ACTOR, at=AT + timedelta(days=1))
        assert signing.current(at=AT + timedelta(days=1)) == first
        assert signing.current(at=newest.signs_from_at) == newest
        signing.supersede(newest, actor=ACTOR, at=AT)
        assert signing.current(at=newest.signs_from_at) == first

    def test_signs_at_once_where_nobody_can_have_our_key_set_without_it(self):
        first = signing.make(actor=ACTOR, at=AT)
        second = signing.make("RS384", actor=ACTOR, at=AT)
        assert (first.signs_from_at, second.signs_from_at) == (AT, AT + published_keys.SPREADS_WITHIN)
        for key in (first, second):
            signing.give_up(key, actor=ACTOR, at=AT)
        soon, later = AT + timedelta(hours=1), AT + published_keys.SPREADS_WITHIN
        assert signing.make(actor=ACTOR, at=soon).signs_from_at == soon + published_keys.SPREADS_WITHIN
        SigningKey.objects.filter(created_at=soon).delete()
        assert signing.make(actor=ACTOR, at=later).signs_from_at == later


class TestTheProof:
    def test_opens_no_secret_that_is_not_needed(self, registration):
        ClientRegistration.objects.update(sealed_secret=b"not sealed at all")
        registration.refresh_from_db()
        assert credentials.client(registration).secret is None
        use(signing.make(actor=ACTOR, at=AT), registration)
        client = credentials.client(registration)
        assert client.secret is None
        assert client.signing_key is not None
        assert "kty" not in repr(client)
