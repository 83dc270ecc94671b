"""ID tokens: valid ones are read, and every invalid one is refused with its fault named."""

import json
from datetime import timedelta

import pytest

from apps.wire import identity
from apps.wire.errors import IdentityFault
from apps.wire.identity import Identity
from tests.wire.id_tokens import (
    ATTACKERS,
    CURVE,
    GENUINE,
    HEADER,
    KID,
    NONCE,
    NOW,
    OURS,
    PUBLISHED,
    Issuer,
    T,
    b64,
    b64json,
    issuing,
    jwk,
    public_pem,
    raw,
    refused,
    rsa_key,
    token,
)
from tests.wire.servers import serving


@pytest.fixture(scope="module")
def issuer():
    with serving(issuing(PUBLISHED)) as server:
        yield Issuer(server.url("/idsps/one/"))


class TestAnIdToken:
    def test_names_its_person(self, issuer):
        person = issuer.verify(issuer.token())
        assert person == Identity(issuer.issuer, "person-1", "Patient/12")
        assert "person-1" not in repr(person)

    @pytest.mark.parametrize(
        "changed",
        [
            {"aud": [OURS]},
            {"aud": [OURS], "azp": OURS},
            {"aud": ["another", OURS], "azp": OURS},
            {"azp": OURS},
            {"sub": "x" * 255},
            {"nbf": T},
            {"nbf": T + 60},
            {"iat": T + 60},
            {"iat": T - 3600},
            {"exp": T - 59, "iat": T - 600},
            {"exp": T + 0.5},
            {"auth_time": 7, "acr": "1", "name": {"odd": True}},
            {"fhirUser": None},
        ],
    )
    def test_is_taken_where_the_rules_allow_it(self, issuer, changed):
        assert issuer.verify(issuer.token(**changed)).issuer == issuer.issuer

    @pytest.mark.parametrize(
        "header",
        [
            {"typ": "at+jwt"},
            {"typ": None},
            {"cty": "x"},
            {"x5t": "abc"},
            {"kid": "older"},
        ],
    )
    def test_is_taken_whatever_else_its_header_says(self, issuer, header):
        key = rsa_key("older") if header.get("kid") == "older" else GENUINE
        assert issuer.verify(issuer.token(header=header, key=key)).subject == "person-1"

    @pytest.mark.conformance("C72")
    @pytest.mark.parametrize("skew", [-60, -59, 0, 59, 60])
    def test_is_taken_with_a_clock_a_minute_off(self, issuer, skew):
        fresh = issuer.token(iat=T, exp=T + 30, nbf=T)
        at = NOW + timedelta(seconds=skew)
        assert issuer.verify(fresh, at=at).subject == "person-1"

    def test_needs_no_nonce_where_none_was_sent(self, issuer):
        assert issuer.verify(issuer.token(nonce=None), nonce=None).subject == "person-1"

    def test_may_be_signed_otherwise_only_where_the_caller_says_so(self, issuer):
        signed = issuer.token(header={"alg": "ES256", "kid": "curve"}, key=CURVE)
        assert refused(lambda: issuer.verify(signed)) is IdentityFault.ALGORITHM
        assert issuer.verify(signed, algorithms=["RS256", "ES256"]).subject == "person-1"
        wider = issuer.token(header={"alg": "PS256", "kid": "older"}, key=rsa_key("older"))
        assert issuer.verify(wider, algorithms=["PS256"]).subject == "person-1"

    def test_may_leave_out_the_key_id_where_there_is_one_key(self):
        with serving(issuing([jwk(GENUINE, None), jwk(CURVE, "curve"), {"kty": "RSA"}])) as server:
            sole = Issuer(server.url("/idsps/one/"))
            assert sole.verify(sole.token(header={"kid": None})).subject == "person-1"

    @pytest.mark.parametrize(
        ("changed", "fhir_user"),
        [
            ({"fhirUser": "https://fhir.example/r4/Patient/1"}, "https://fhir.example/r4/Patient/1"),
            ({"fhirUser": None, "profile": "Patient/1"}, "Patient/1"),
            ({"fhirUser": None, "profile": "https://fhir.example/Practitioner/1"}, "https://fhir.example/Practitioner/1"),
            ({"fhirUser": None, "profile": "https://people.example/alice"}, None),
            ({"fhirUser": "Patient/1", "profile": "Patient/2"}, "Patient/1"),
            ({"fhirUser": 7}, None),
            ({"fhirUser": ""}, None),
            ({"fhirUser": "Patient/1\n"}, None),
            ({"fhirUser": "x" * 3000}, None),
            ({"fhirUser": ["Patient/1"]}, None),
        ],
    )  # fmt: skip
    def test_may_name_the_persons_resource(self, issuer, changed, fhir_user):
        assert issuer.verify(issuer.token(**changed)).fhir_user == fhir_user


def headed(**header):
    return lambda issuer: issuer.token(header=header)


def claiming(**claims):
    return lambda issuer: issuer.token(**claims)


def spoilt(change):
    return lambda issuer: change(*issuer.token().split("."))


def good(issuer):
    return json.dumps(issuer.claims()).encode()


F = IdentityFault
FOREIGN = {"jwk": jwk(ATTACKERS, KID), "jku": "https://attacker.example/jwk", "x5u": "https://attacker.example/x"}
WRONG = {
    # 1. the algorithm
    "not signed": (lambda i: i.token(header={"alg": "none"}, algorithm="none") + "", F.ALGORITHM),
    "not signed, in capitals": (lambda i: i.token(header={"alg": "NONE"}, algorithm="none"), F.ALGORITHM),
    "not signed, with a signature": (lambda i: i.token(header={"alg": "none"}, algorithm="RS256"), F.ALGORITHM),
    "signed with our public key as a shared secret": (
        lambda i: i.token(header={"alg": "HS256"}, key=public_pem(GENUINE)), F.ALGORITHM),
    "signed with our client id as a shared secret": (
        lambda i: i.token(header={"alg": "HS256"}, key=OURS.encode()), F.ALGORITHM),
    "signed with the modulus as a shared secret": (
        lambda i: i.token(header={"alg": "HS512"}, key=PUBLISHED[0]["n"].encode()), F.ALGORITHM),
    "signed with the published shared key": (
        lambda i: i.token(header={"alg": "HS256", "kid": "symmetric"}, key=b"a shared secret"), F.ALGORITHM),
    "signed by the genuine key with RS384": (headed(alg="RS384"), F.ALGORITHM),
    "signed by the genuine key with PS256": (headed(alg="PS256"), F.ALGORITHM),
    "signed by the genuine curve": (
        lambda i: i.token(header={"alg": "ES256", "kid": "curve"}, key=CURVE), F.ALGORITHM),
    "of an algorithm in lower case": (lambda i: i.token(header={"alg": "rs256"}, algorithm="RS256"), F.ALGORITHM),
    "of no algorithm": (lambda i: raw({"kid": KID}, i.claims())(i), F.ALGORITHM),
    "of an algorithm that is null": (lambda i: raw({**HEADER, "alg": None}, i.claims())(i), F.ALGORITHM),
    "of an algorithm that is a list": (lambda i: raw({**HEADER, "alg": ["RS256"]}, i.claims())(i), F.ALGORITHM),
    "of an algorithm with a space": (lambda i: raw({**HEADER, "alg": "RS256 "}, i.claims())(i), F.ALGORITHM),
    # 2. the key and the signature
    "of a key nobody published": (headed(kid="unheard of"), F.UNKNOWN_KEY),
    "of a key id in another case": (headed(kid=KID.lower()), F.UNKNOWN_KEY),
    "of no key id where there are several keys": (headed(kid=None), F.UNKNOWN_KEY),
    "of an empty key id": (headed(kid=""), F.UNKNOWN_KEY),
    "of a key id that is a path": (headed(kid="../../etc/passwd"), F.UNKNOWN_KEY),
    "of a key id that is a number": (headed(kid=7), F.MALFORMED),
    "of a key id that is a list": (headed(kid=[KID]), F.MALFORMED),
    "of a curve's key id": (headed(kid="curve"), F.UNSUITABLE_KEY),
    "of a shared key's id": (headed(kid="symmetric"), F.UNSUITABLE_KEY),
    "of a key for encryption": (headed(kid="rsa-for-encryption"), F.UNSUITABLE_KEY),
    "of a key for another algorithm": (headed(kid="rsa-for-384"), F.UNSUITABLE_KEY),
    "of a key that may not verify": (headed(kid="rsa-that-only-signs"), F.UNSUITABLE_KEY),
    "of a key that is too small": (
        lambda i: i.token(header={"kid": "small"}, key=rsa_key("small", 1024)), F.UNSUITABLE_KEY),
    "of a key that is broken": (headed(kid="broken"), F.UNSUITABLE_KEY),
    "of a key whose exponent is one": (headed(kid="trivial"), F.UNSUITABLE_KEY),
    "of a key without its exponent": (headed(kid="half"), F.UNSUITABLE_KEY),
    "of a kind of key we do not know": (headed(kid="of tomorrow"), F.UNSUITABLE_KEY),
    "signed by an attacker": (lambda i: i.token(key=ATTACKERS), F.SIGNATURE),
    "signed by an attacker who brings the key": (lambda i: i.token(header=FOREIGN, key=ATTACKERS), F.SIGNATURE),
    "signed by an attacker who brings key and key id": (
        lambda i: i.token(header={**FOREIGN, "kid": "attacker's"}, key=ATTACKERS), F.UNKNOWN_KEY),
    "signed by another of the issuer's keys": (lambda i: i.token(header={"kid": "older"}), F.SIGNATURE),
    "signed with RS384 under the name of RS256": (lambda i: i.token(algorithm="RS384"), F.SIGNATURE),
    "with other claims than were signed": (
        lambda i: spoilt(lambda h, _c, s: f"{h}.{b64json(i.claims(sub='person-2'))}.{s}")(i), F.SIGNATURE),
    "with another header than was signed": (
        spoilt(lambda _h, c, s: f"{b64json({**HEADER, 'typ': 'x'})}.{c}.{s}"), F.SIGNATURE),
    "with a signature cut short": (spoilt(lambda h, c, s: f"{h}.{c}.{s[:-4]}"), F.SIGNATURE),
    "with a signature of zeros": (spoilt(lambda h, c, _s: f"{h}.{c}.{b64(bytes(256))}"), F.SIGNATURE),
    "with a signature of one byte": (spoilt(lambda h, c, _s: f"{h}.{c}.AA"), F.SIGNATURE),
    # 3. the issuer
    "of an issuer not on the list": (claiming(iss="https://attacker.example/"), F.ISSUER),
    "of the issuer without its slash": (lambda i: i.token(iss=i.issuer.rstrip("/")), F.ISSUER),
    "of the issuer with another slash": (lambda i: i.token(iss=i.issuer + "/"), F.ISSUER),
    "of the issuer in capitals": (lambda i: i.token(iss=i.issuer.upper()), F.ISSUER),
    "of the issuer and more": (lambda i: i.token(iss=i.issuer + "#x"), F.ISSUER),
    "of no issuer": (claiming(iss=None), F.ISSUER),
    "of a list of issuers": (lambda i: i.token(iss=[i.issuer]), F.ISSUER),
    "of an issuer that is a number": (claiming(iss=7), F.ISSUER),
    # 4. whom it is for
    "for another client": (claiming(aud="another"), F.AUDIENCE),
    "for nobody": (claiming(aud=None), F.AUDIENCE),
    "for an empty list": (claiming(aud=[]), F.AUDIENCE),
    "for a client with a longer id": (claiming(aud=OURS + "-2"), F.AUDIENCE),
    "for our id among other words": (claiming(aud=f"another {OURS}"), F.AUDIENCE),
    "for our id in capitals": (claiming(aud=OURS.upper()), F.AUDIENCE),
    "for an object": (claiming(aud={OURS: True}), F.AUDIENCE),
    "for a list with a number in it": (claiming(aud=[OURS, 7], azp=OURS), F.AUDIENCE),
    "for several, and nobody in particular": (claiming(aud=[OURS, "another"]), F.AUTHORIZED_PARTY),
    "for us twice": (claiming(aud=[OURS, OURS]), F.AUTHORIZED_PARTY),
    "for several, and somebody else in particular": (
        claiming(aud=[OURS, "another"], azp="another"), F.AUTHORIZED_PARTY),
    "for us, but made for somebody else": (claiming(azp="another"), F.AUTHORIZED_PARTY),
    "for us, but made for a list": (claiming(azp=[OURS]), F.AUTHORIZED_PARTY),
    "for us, but made for an empty name": (claiming(azp=""), F.AUTHORIZED_PARTY),
    # 5. when it holds
    "expired a minute ago": (claiming(exp=T - 60, iat=T - 600), F.EXPIRED),
    "expired a year ago": (claiming(exp=T - 31_536_000, iat=T - 31_536_300), F.EXPIRED),
    "that never expires": (claiming(exp=None), F.EXPIRED),
    "that expires at a text": (claiming(exp=str(T + 300)), F.EXPIRED),
    "that expires at true": (claiming(exp=True), F.EXPIRED),
    "that expires when the sun is cold": (claiming(exp=10**30), F.EXPIRED),
    "that expires in milliseconds": (claiming(exp=(T + 300) * 1000), F.EXPIRED),
    "that expires before all time": (claiming(exp=-1), F.EXPIRED),
    "issued a minute and a second from now": (claiming(iat=T + 61), F.ISSUED_AT),
    "issued the day before": (claiming(iat=T - 86_401), F.ISSUED_AT),
    "issued at no time": (claiming(iat=None), F.ISSUED_AT),
    "issued at a text": (claiming(iat="now"), F.ISSUED_AT),
    "issued as it expires": (claiming(iat=T, exp=T), F.ISSUED_AT),
    "not to be used for a minute and a second": (claiming(nbf=T + 61), F.NOT_YET),
    "not to be used before true": (claiming(nbf=True), F.NOT_YET),
    "not to be used before a text": (claiming(nbf="tomorrow"), F.NOT_YET),
    # 6. the nonce
    "with another nonce": (claiming(nonce="another"), F.NONCE),
    "with the nonce in capitals": (claiming(nonce=NONCE.reveal().upper()), F.NONCE),
    "with no nonce": (claiming(nonce=None), F.NONCE),
    "with an empty nonce": (claiming(nonce=""), F.NONCE),
    "with a list of nonces": (claiming(nonce=[NONCE.reveal()]), F.NONCE),
    "with half a character for a nonce": (claiming(nonce="\ud800"), F.NONCE),
    # 7. whom it names
    "about nobody": (claiming(sub=None), F.SUBJECT),
    "about an empty name": (claiming(sub=""), F.SUBJECT),
    "about a name that is too long": (claiming(sub="x" * 256), F.SUBJECT),
    "about a number": (claiming(sub=7), F.SUBJECT),
    "about a name with a line end": (claiming(sub="a\nb"), F.SUBJECT),
    "about a name with NUL": (claiming(sub="a\x00"), F.SUBJECT),
    "about a name beyond ASCII": (claiming(sub="p\u00e9rson"), F.SUBJECT),
    # the form
    "of one part": (lambda _i: "abc", F.MALFORMED),
    "of two parts": (spoilt(lambda h, c, _s: f"{h}.{c}"), F.MALFORMED),
    "of four parts": (spoilt(lambda h, c, s: f"{h}.{c}.{s}.{s}"), F.MALFORMED),
    "of five parts, encrypted": (lambda _i: "e30.e30.e30.e30.e30", F.MALFORMED),
    "with an empty signature": (spoilt(lambda h, c, _s: f"{h}.{c}."), F.MALFORMED),
    "with a detached payload": (spoilt(lambda h, _c, s: f"{h}..{s}"), F.MALFORMED),
    "with padding": (spoilt(lambda h, c, s: f"{h}.{c}.{s}=="), F.MALFORMED),
    "with a plus sign": (spoilt(lambda h, c, _s: f"{h}.{c}.a+b/"), F.MALFORMED),
    "with a line end": (lambda i: i.token() + "\n", F.MALFORMED),
    "with a header that is a list": (lambda i: raw([HEADER], i.claims())(i), F.MALFORMED),
    "with a header that is no JSON": (lambda i: raw(b"{", i.claims())(i), F.MALFORMED),
    "with a header that is no text": (lambda i: raw(b"\xff\xfe", i.claims())(i), F.MALFORMED),
    "with claims that are a text": (lambda i: raw(HEADER, b'"person"')(i), F.MALFORMED),
    "with claims that are no JSON": (lambda i: raw(HEADER, good(i)[:-1])(i), F.MALFORMED),
    "with claims deeper than anybody means": (lambda i: raw(HEADER, b'{"a":' + b"[" * 15_000)(i), F.MALFORMED),
    "with a number that never ends": (
        lambda i: raw(HEADER, good(i)[:-1] + b', "x": ' + b"9" * 5000 + b"}")(i), F.MALFORMED),
    "with no number for a number": (lambda i: raw(HEADER, good(i)[:-1] + b', "x": NaN}')(i), F.MALFORMED),
    "that names its audience twice": (
        lambda i: raw(HEADER, b'{"aud": "another", ' + good(i)[1:])(i), F.MALFORMED),
    "that names its algorithm twice": (
        lambda i: raw(json.dumps(HEADER).encode()[:-1] + b', "alg": "none"}', i.claims())(i), F.MALFORMED),
    "with bits beyond its last byte": (
        lambda i: spoilt(lambda h, c, s: f"{h}.{c}.{s[:-1]}{chr(ord(s[-1]) + 1)}")(i), F.SIGNATURE),
    "that asks for what we must understand": (headed(crit=["exp"], exp=T), F.CRITICAL_HEADER),
    "that asks for nothing we must understand": (headed(crit=[]), F.CRITICAL_HEADER),
    "whose payload is not encoded": (headed(b64=False, crit=["b64"]), F.CRITICAL_HEADER),
    "whose payload says how it is encoded": (headed(b64=True), F.CRITICAL_HEADER),
    "that is huge": (claiming(padding="x" * 40_000), F.TOO_LARGE),
    "that is huge and nothing else": (lambda _i: "x" * 10_000_000, F.TOO_LARGE),
    # several faults: the first that is looked at is named, and none makes up for another
    "expired and for another client": (claiming(exp=T - 600, aud="another"), F.AUDIENCE),
    "for another client, by an attacker": (lambda i: i.token(aud="another", key=ATTACKERS), F.SIGNATURE),
    "of another issuer, not signed": (
        lambda i: i.token(header={"alg": "none"}, algorithm="none", iss="https://x.example/"), F.ALGORITHM),
    "of another issuer, by its own key": (
        lambda i: i.token(header={"kid": "theirs"}, key=ATTACKERS, iss="https://x.example/"), F.ISSUER),
    "expired, without a nonce": (claiming(exp=T - 600, iat=T - 900, nonce=None), F.EXPIRED),
    "for several, expired, about nobody": (
        claiming(aud=[OURS, "another"], exp=1, sub=None), F.AUTHORIZED_PARTY),
    "without a nonce, about nobody": (claiming(nonce=None, sub=None), F.NONCE),
    "empty": (raw(HEADER, {}), F.ISSUER),
}  # fmt: skip


class TestAWrongIdToken:
    @pytest.mark.conformance("C38")
    @pytest.mark.parametrize(("make", "fault"), WRONG.values(), ids=WRONG)
    def test_is_refused_and_its_fault_is_named(self, issuer, make, fault):
        written = make(issuer)
        assert refused(lambda: issuer.verify(written)) is fault

    def test_is_one_of_more_than_forty(self):
        assert len(WRONG) >= 40
        found_in_one = set(IdentityFault) - {IdentityFault.MISSING}  # that one is that none came
        assert {fault for _make, fault in WRONG.values()} == found_in_one

    @pytest.mark.conformance("C38")
    def test_with_a_nonce_nobody_sent_is_refused(self, issuer):
        assert refused(lambda: issuer.verify(issuer.token(), nonce=None)) is IdentityFault.NONCE

    def test_of_an_empty_allow_list_is_refused(self, issuer):
        assert refused(lambda: issuer.verify(issuer.token(), issuers=[])) is IdentityFault.ISSUER

    def test_of_an_allow_list_that_is_a_text_is_refused(self, issuer):
        text = f"{issuer.issuer} {issuer.issuer}"
        assert refused(lambda: issuer.verify(issuer.token(), issuers=text)) is IdentityFault.ISSUER

    def test_of_an_issuer_whose_name_only_begins_alike_is_refused(self, issuer):
        near = [issuer.issuer + "x", issuer.issuer[:-1], issuer.issuer.replace("one", "two")]
        assert refused(lambda: issuer.verify(issuer.token(), issuers=near)) is IdentityFault.ISSUER

    @pytest.mark.parametrize("algorithm", ["none", "HS256", "HS384", "HS512", "dir", "EdDSA"])
    def test_is_not_made_right_by_a_careless_caller(self, issuer, algorithm):
        written = issuer.token(header={"alg": algorithm}, key=b"k", algorithm="HS256")
        call = lambda: issuer.verify(written, algorithms=[algorithm])  # noqa: E731
        assert refused(call) is IdentityFault.ALGORITHM

    @pytest.mark.conformance("C38")
    @pytest.mark.parametrize("name", ["iss", "sub", "aud", "exp", "iat", "nonce"])
    @pytest.mark.parametrize("value", [None, True, False, 0, -1, 7, 1e300, "", " ", "x", [], [[]], {}, {"a": 1}, ["x"]])
    def test_with_nonsense_in_any_claim_is_refused(self, issuer, name, value):
        by_name = {"iss": {F.ISSUER}, "sub": {F.SUBJECT}, "aud": {F.AUDIENCE}, "exp": {F.EXPIRED},
                   "iat": {F.ISSUED_AT}, "nonce": {F.NONCE}}[name]  # fmt: skip
        claims = {**issuer.claims(), name: value}
        if name == "sub" and isinstance(value, str) and value:
            assert issuer.verify(token(HEADER, claims, GENUINE)).subject == value
        else:
            assert refused(lambda: issuer.verify(token(HEADER, claims, GENUINE))) in by_name


class TestThePersonsReference:
    ROOT = "https://fhir.example/r4/Tenant-1"

    @pytest.mark.parametrize(
        ("written", "reference"),
        [
            ("Patient/12", ("Patient", "12")),
            ("Practitioner/a.b-c", ("Practitioner", "a.b-c")),
            ("PractitionerRole/1", ("PractitionerRole", "1")),
            ("RelatedPerson/1", ("RelatedPerson", "1")),
            ("Person/1", ("Person", "1")),
            ("https://fhir.example/r4/Tenant-1/Patient/12", ("Patient", "12")),
            ("https://FHIR.example:443/r4/Tenant-1/Patient/12", ("Patient", "12")),
            ("https://fhir.example/r4/Tenant-2/Patient/12", None),
            ("https://fhir.example/r4/tenant-1/Patient/12", None),
            ("https://fhir.example/r4/Tenant-1x/Patient/12", None),
            ("https://fhir.example/r4/Tenant-1/x/Patient/12", None),
            ("https://fhir.example/dstu2/Tenant-1/Patient/12", None),
            ("https://fhir.example/Patient/12", None),
            ("https://fhir.example:8443/r4/Tenant-1/Patient/12", None),
            ("http://fhir.example/r4/Tenant-1/Patient/12", None),
            ("https://attacker.example/r4/Tenant-1/Patient/12", None),
            ("https://fhir.example@attacker.example/r4/Tenant-1/Patient/12", None),
            ("https://fhir.example/r4/Tenant-1/../Tenant-1/Patient/12", None),
            ("https://fhir.example/r4/Tenant-1/Patient/12?x", None),
            ("https://fhir.example/r4/Tenant-1/Patient/12#x", None),
            ("https://fhir.example/r4/Tenant-1/Patient/12/_history/1", None),
            ("https://fhir.example/r4/Tenant-1/Patient/", None),
            ("https://fhir.example/r4/Tenant-1", None),
            ("https://[/Patient/1", None),
            ("Patient/12/_history/1", None),
            ("/Patient/12", None),
            ("Patient", None),
            ("Patient/", None),
            ("Patient/..", None),
            ("patient/12", None),
            ("Group/12", None),
            ("#Patient/12", None),
            ("", None),
            (None, None),
        ],
    )
    @pytest.mark.parametrize("slash", ["", "/"])
    def test_is_read_on_the_same_root_only(self, written, reference, slash):
        person = Identity("https://login.example", "1", written)
        assert identity.fhir_user_reference(person, self.ROOT + slash) == reference
