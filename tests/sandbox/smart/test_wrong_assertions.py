"""Invalid client assertions of systems: each fault of X58, and several at once, in both forms (5.2.6)."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sandbox import clock
from apps.sandbox.models import SystemAccount, SystemAssertion
from apps.sandbox.smart.clients import assertions
from tests.fixtures import signatures
from tests.sandbox.smart.literal import RIVERSIDE, WILLOW, token_address
from tests.sandbox.smart.systems import AT, AUDIENCE, JWKS, KEPT_AT, KEYS, NOW, SCOPE, TYPE, assertion, bearer, in_form

pytestmark = pytest.mark.django_db

OTHER = "8d2f6f60-6a0e-4a54-9a53-3c0b3f8a1e11"


def by_hmac(account_id, algorithm, key):
    """Signed with something public as if it were a secret."""
    secret = json.dumps(signatures.public_jwk(KEYS[key], key)).encode()
    return assertion(account_id, key=key, header={"alg": algorithm}, signed_by=secret)


def unsigned(account_id, algorithm):
    header = {"alg": algorithm, "kid": "ec", "typ": "JWT"}
    said = {"iss": account_id, "sub": account_id, "aud": AUDIENCE, "exp": NOW + 290, "jti": "none"}
    return signatures.signed(header, said, None)


def altered(account_id, part):
    parts = assertion(account_id).split(".")
    octets = bytearray(signatures.decoded(parts[part]))
    octets[len(octets) // 2] ^= 1
    parts[part] = signatures.encoded(bytes(octets))
    return ".".join(parts)


# Each makes, for the id of an account that has keys, an assertion that is wrong in one way.
WRONG = {
    # unknown iss, iss is not sub
    "from nobody": lambda id_: assertion(OTHER),
    "from somebody else": lambda id_: assertion(id_, iss=OTHER),
    "from no id": lambda id_: assertion(id_, iss="lab", sub="lab"),
    "from nowhere": lambda id_: assertion(id_, iss=None),
    "from a number": lambda id_: assertion(id_, iss=7),
    "from a list": lambda id_: assertion(id_, iss=[id_]),
    "from an id in capitals": lambda id_: assertion(id_, iss=id_.upper(), sub=id_.upper()),
    "from an id with a NUL": lambda id_: assertion(id_, iss=f"{id_}\0", sub=f"{id_}\0"),
    "about somebody else": lambda id_: assertion(id_, sub=OTHER),
    "about nobody": lambda id_: assertion(id_, sub=None),
    # wrong aud
    "for another tenant": lambda id_: assertion(id_, aud=f"http://testserver{token_address(RIVERSIDE)}"),
    "for another host": lambda id_: assertion(id_, aud=f"http://testserver{token_address(host='ehr')}"),
    "for the revocation address": lambda id_: assertion(id_, aud=f"{AUDIENCE}/revoke"),
    "for the address with a slash": lambda id_: assertion(id_, aud=f"{AUDIENCE}/"),
    "for the path alone": lambda id_: assertion(id_, aud=token_address()),
    "for the data": lambda id_: assertion(id_, aud=f"http://testserver/b/myrecord/r4/{WILLOW}"),
    "for https": lambda id_: assertion(id_, aud=AUDIENCE.replace("http:", "https:")),
    "for nobody": lambda id_: assertion(id_, aud=None),
    "for an empty list": lambda id_: assertion(id_, aud=[]),
    "for an object": lambda id_: assertion(id_, aud={"url": AUDIENCE}),
    # exp too far or past
    "expired": lambda id_: assertion(id_, exp=NOW - 1),
    "expiring now": lambda id_: assertion(id_, exp=NOW),
    "too long": lambda id_: assertion(id_, exp=NOW + 360),
    "for a year": lambda id_: assertion(id_, exp=NOW + 31_536_000),
    "for ever": lambda id_: assertion(id_, exp=None),
    "expiring in words": lambda id_: assertion(id_, exp="soon"),
    "expiring as text": lambda id_: assertion(id_, exp=str(NOW + 60)),
    "expiring truly": lambda id_: assertion(id_, exp=True),
    "expiring beyond measure": lambda id_: assertion(id_, exp=10**400),
    "expiring never in JSON": lambda id_: assertion(id_, exp=float("inf")),
    "not yet good": lambda id_: assertion(id_, nbf=NOW + 120),
    "made tomorrow": lambda id_: assertion(id_, iat=NOW + 86_400),
    # jti
    "without an id": lambda id_: assertion(id_, jti=None),
    "with an empty id": lambda id_: assertion(id_, jti=""),
    "with a number for an id": lambda id_: assertion(id_, jti=7),
    "with half a character for an id": lambda id_: assertion(id_, jti="\ud800"),
    # alg none and HS*
    "unsigned": lambda id_: unsigned(id_, "none"),
    "unsigned in capitals": lambda id_: unsigned(id_, "None"),
    "unsigned and said to be signed": lambda id_: unsigned(id_, "ES384"),
    "by HS256": lambda id_: by_hmac(id_, "HS256", "rsa"),
    "by HS384": lambda id_: by_hmac(id_, "HS384", "ec"),
    "by HS512": lambda id_: by_hmac(id_, "HS512", "rsa"),
    "by RS256": lambda id_: assertion(id_, key="rsa", header={"alg": "RS256"}),
    "by PS384": lambda id_: assertion(id_, key="rsa", header={"alg": "PS384"}),
    "by ES256": lambda id_: assertion(id_, key="short", header={"alg": "ES256"}),
    "by ES384 on a shorter curve": lambda id_: assertion(id_, key="short"),
    "by no named algorithm": lambda id_: assertion(id_, header={"alg": None}),
    "by a number": lambda id_: assertion(id_, header={"alg": 384}),
    # unknown or double kid, kty mismatch
    "by an unknown key": lambda id_: assertion(id_, header={"kid": "unknown"}),
    "by no named key": lambda id_: assertion(id_, header={"kid": None}),
    "by a key with an empty name": lambda id_: assertion(id_, header={"kid": ""}),
    "by a key with a number for a name": lambda id_: assertion(id_, header={"kid": 1}),
    "by a key that stands twice": lambda id_: assertion(id_, key="twin"),
    "by an EC key named as the RSA one": lambda id_: assertion(id_, header={"kid": "rsa"}),
    "by an RSA key named as the EC one": lambda id_: assertion(id_, key="rsa", header={"kid": "ec"}),
    "by a stranger under a known name": lambda id_: assertion(id_, signed_by=KEYS["stranger"]),
    "by a strange RSA key under a known name": lambda id_: assertion(id_, key="rsa", signed_by=KEYS["strange-rsa"]),
    "with a key of its own": lambda id_: assertion(
        id_,
        header={"kid": "own", "jwk": signatures.public_jwk(KEYS["stranger"], "own")},
        signed_by=KEYS["stranger"],
    ),
    # foreign jku
    "with keys at a foreign address": lambda id_: assertion(id_, header={"jku": "https://evil.example/jwks"}),
    "with keys at a similar address": lambda id_: assertion(id_, header={"jku": f"{KEPT_AT}/"}),
    "with keys at an empty address": lambda id_: assertion(id_, header={"jku": ""}),
    # what it is at all
    "of another kind": lambda id_: assertion(id_, header={"typ": "at+jwt"}),
    "with something critical": lambda id_: assertion(id_, header={"crit": ["x"], "x": 1}),
    "altered in its header": lambda id_: altered(id_, 0),
    "altered in what it says": lambda id_: altered(id_, 1),
    "altered in its signature": lambda id_: altered(id_, 2),
    "without its last part": lambda id_: assertion(id_).rpartition(".")[0],
    "with a part too many": lambda id_: assertion(id_) + ".x",
    "of nothing": lambda id_: "..",
    "a list": lambda id_: signatures.signed({"alg": "ES384", "kid": "ec", "typ": "JWT"}, b"[]", KEYS["ec"]),
    "no JSON": lambda id_: signatures.signed({"alg": "ES384", "kid": "ec", "typ": "JWT"}, b"{", KEYS["ec"]),
    "very deep": lambda id_: signatures.signed(
        {"alg": "ES384", "kid": "ec", "typ": "JWT"}, b'{"iss":' * 20_000 + b"1" + b"}" * 20_000, KEYS["ec"]
    ),
}

# Several ways at once: what is wrong in one way does not mend what is wrong in another.
CLAIMS = {
    "iss": OTHER, "sub": OTHER, "aud": "https://evil.example/token", "exp": NOW + 900, "jti": "",
}  # fmt: skip
HEADERS = {"kid": "unknown", "alg": "none", "jku": "https://evil.example/jwks"}
COMBINED: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({one: CLAIMS[one], other: CLAIMS[other]}, {}) for one, other in itertools.combinations(CLAIMS, 2)
] + [({name: CLAIMS[name]}, {header: HEADERS[header]}) for name in CLAIMS for header in HEADERS]


@pytest.fixture
def lab(smart):
    keys = {"jwks": JWKS, "jwks_url": KEPT_AT}
    return str(smart("lab", client_type="confidential", authentication="private_key_jwt", **keys).guid)


@pytest.fixture
def ask(post_token):
    """The answer to an assertion, in the form or in the header."""

    def ask(said, *, way="form", scope=SCOPE):
        clock.set_to(AT)
        body = {"grant_type": "client_credentials", "scope": scope, **(in_form(said) if way == "form" else {})}
        return post_token(body, None, bearer(said) if way == "header" else None)

    return ask


def is_refused(answer):
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client"), answer.content
    assert answer["WWW-Authenticate"] == 'Basic realm="sandbox"'
    assert "access_token" not in answer.json()
    return True


class TestAWrongAssertion:
    def test_differs_from_one_that_is_right(self, ask, lab):
        """Every other test here would pass if nothing worked."""
        for way in ("form", "header"):
            assert ask(assertion(lab), way=way).status_code == 200
            assert ask(assertion(lab, key="rsa", iat=NOW, nbf=NOW, header={"jku": KEPT_AT}), way=way).status_code == 200

    @pytest.mark.conformance("X58")
    @pytest.mark.parametrize("way", ["form", "header"])
    @pytest.mark.parametrize("make", WRONG.values(), ids=WRONG.keys())
    def test_is_refused(self, ask, lab, make, way):
        assert is_refused(ask(make(lab), way=way))
        assert not SystemAssertion.objects.exists()

    @pytest.mark.conformance("X58")
    @pytest.mark.parametrize(("claims", "header"), COMBINED)
    def test_is_refused_for_two_reasons_as_for_one(self, ask, lab, claims, header):
        assert is_refused(ask(assertion(lab, header=header, **claims)))

    @pytest.mark.conformance("X58")
    @pytest.mark.parametrize("first", ["form", "header"])
    @pytest.mark.parametrize("second", ["form", "header"])
    def test_comes_a_second_time(self, ask, lab, first, second):
        said = assertion(lab, jti="again")
        assert ask(said, way=first).status_code == 200
        assert is_refused(ask(said, way=second))
        assert is_refused(ask(assertion(lab, key="rsa", jti="again"), way=second))
        assert ask(assertion(lab, jti="another"), way=second).status_code == 200

    @pytest.mark.conformance("X58")
    def test_comes_from_an_account_without_keys(self, ask, smart):
        bare = str(smart("ward", client_type="confidential", secret="x", authentication="client_secret_basic").guid)
        assert is_refused(ask(assertion(bare)))
        assert is_refused(ask(assertion(bare, header={"jku": ""})))

    @pytest.mark.conformance("X58")
    def test_comes_from_an_account_whose_keys_are_elsewhere(self, ask, smart):
        far = str(smart("far", client_type="confidential", jwks_url=KEPT_AT, authentication="private_key_jwt").guid)
        assert is_refused(ask(assertion(far, header={"jku": KEPT_AT})))

    def test_of_another_account_that_has_the_same_id_of_use_is_its_own_matter(self, ask, lab, smart):
        other = str(smart("two", client_type="confidential", jwks=JWKS, authentication="private_key_jwt").guid)
        assert ask(assertion(lab, jti="shared")).status_code == 200
        assert ask(assertion(other, jti="shared")).status_code == 200

    def test_is_counted_once_a_request_and_not_used_up_by_being_refused(self, ask, lab):
        said = assertion(lab, jti="late")
        assert ask(said, scope="patient/Patient.read").status_code == 400  # proven, and used
        assert is_refused(ask(said))
        wrong = assertion(lab, jti="kept", aud="https://evil.example")
        assert is_refused(ask(wrong))
        assert ask(assertion(lab, jti="kept")).status_code == 200

    @pytest.mark.conformance("X58")
    @pytest.mark.parametrize(("seconds", "is_good"), [(0, False), (1, True), (300, True), (301, False)])
    def test_lives_longer_than_five_minutes_or_no_longer(self, lab, seconds, is_good):
        account = SystemAccount.objects.get(client_id=lab)
        said = assertion(lab, exp=NOW + seconds)
        assert assertions.is_good_of_system(said, account, audiences=[AUDIENCE], at=AT) == is_good

    def test_is_of_the_named_type(self, post_token, lab):
        clock.set_to(AT)
        body = {"grant_type": "client_credentials", "scope": SCOPE, **in_form(assertion(lab))}
        answer = post_token({**body, "client_assertion_type": TYPE.upper()})
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


class TestAnyAssertion:
    @given(claims=st.dictionaries(st.sampled_from(["iss", "sub", "aud", "exp", "jti", "nbf"]), JSON, min_size=1))
    def test_is_answered_whatever_it_says(self, claims):
        """No crash, and no proof: `exp` may happen to be right, and nothing else may."""
        account = SystemAccount.objects.filter(client_name="any").first() or SystemAccount.objects.create(
            description="D", client_name="any", jwks=JWKS, status="approved", requested_at=AT
        )
        said = signatures.signed(
            {"alg": "ES384", "kid": "ec", "typ": "JWT"},
            {"iss": str(account.client_id), "sub": str(account.client_id), "aud": AUDIENCE, "exp": NOW + 60, **claims},
            KEYS["ec"],
        )
        assertions.unverified_issuer(said)
        is_right = isinstance(claims.get("jti"), str) and bool(claims["jti"]) and claims.keys() == {"jti"}
        proven = assertions.is_good_of_system(said, account, audiences=[AUDIENCE], at=AT)
        assert proven <= (is_right or "exp" in claims or "nbf" in claims)
        SystemAssertion.objects.all().delete()
