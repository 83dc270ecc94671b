"""Our signing keys: sealed here, and enough for somebody else to believe what they signed."""

import pytest
from joserfc import jwt
from joserfc.jwk import JWKRegistry

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import credentials, registering, signing
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

    def test_keeps_its_private_half_sealed(self):
        key = signing.make(actor=ACTOR, at=AT)
        private = signing.open_key(key).private_jwk.reveal()
        assert '"d"' in private
        assert "d" not in key.public_jwk
        assert b'"d"' not in bytes(key.sealed_private_jwk)
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
        registering.move(registration, registering.Status.RETIRED, actor=ACTOR, at=AT)
        signing.retire(key, actor=ACTOR, at=AT)
        signing.retire(key, actor=ACTOR, at=AT)
        assert key.retired_at == AT
        assert signing.newest() is None
        actions = list(AuditEvent.objects.filter(subject="signing key").values_list("facts__action", flat=True))
        assert actions == ["made", "retired"]

    def test_that_is_retired_proves_nothing(self, registration):
        key = signing.make(actor=ACTOR, at=AT)
        use(key, registration)
        SigningKey.objects.update(retired_at=AT)
        with pytest.raises(ClientRejected):
            credentials.client(ClientRegistration.objects.get())

    def test_of_today_is_the_newest_of_its_algorithm(self):
        signing.make(actor=ACTOR, at=AT.replace(hour=1))
        newest = signing.make(actor=ACTOR, at=AT)
        signing.make("RS384", actor=ACTOR, at=AT)
        assert signing.newest() == newest


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
