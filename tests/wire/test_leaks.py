"""Nothing secret leaves the wire except through its return values: canaries are planted and searched for.

The search covers every log record at every level, standard output and error, warnings, and each exception with all
those chained to it: their text, arguments, attributes and printed traceback.
"""

import gc
import io
import json
import logging
import logging.config
import pickle
import time
import traceback
from contextlib import redirect_stderr, redirect_stdout

import pytest
from joserfc.jwk import ECKey

from apps.wire import authorization, discovery, fhir, token_endpoint, transport
from apps.wire.addresses import AddressPolicy
from apps.wire.client_authentication import Authentication, Client, SigningAlgorithm, SigningKey, assertion
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.errors import WireError
from apps.wire.identity import Identity
from apps.wire.secret import Secret
from tests.wire.id_tokens import ATTACKERS, NOW, PUBLISHED, Issuer, issuing
from tests.wire.servers import http, serving

LOOPBACK = AddressPolicy(allow_loopback_http=True)
CANARIES = {
    name: f"canary-{name}-6f1d"
    for name in ("secret", "code", "access", "refresh", "state", "verifier", "echo", "patient")
}
PRIVATE_JWK = ECKey.generate_key("P-384").as_dict(private=True)
CANARIES["private key"] = str(PRIVATE_JWK["d"])
PATIENT = {"resourceType": "Patient", "id": "1", "name": [{"family": CANARIES["patient"]}]}
TOKENS = {"access_token": CANARIES["access"], "refresh_token": CANARIES["refresh"], "scope": "narrower than asked"}
SIGNING_KEY = SigningKey("our-key", SigningAlgorithm.ES384, Secret(json.dumps(PRIVATE_JWK)))
# What a server that repeats what it was sent would say, and then some.
ECHO = " ".join(CANARIES.values())


def hangs_up(_request):
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + ECHO.encode()
    raise OSError("hang up")


def dribbles(_request):
    yield f"HTTP/1.1 200 OK\r\nX-Echo: {ECHO}\r\nContent-Length: 500\r\n\r\n".encode()
    for letter in ECHO:
        time.sleep(0.05)
        yield letter.encode()


def is_silent(_request):
    time.sleep(1)
    yield b""


def answers_well(request):
    if request.path == "/token":
        yield http(200, TOKENS)
    else:
        yield http(200, PATIENT)


ANSWERS = {
    "success": answers_well,
    "time-out": is_silent,
    "dribble": dribbles,
    "hang-up": hangs_up,
    "refusal": http(
        400, {"error": "invalid_grant", "error_description": ECHO, "error_uri": f"https://x.example/{ECHO}"}
    ),
    "refusal of the client": http(401, {"error": ECHO}, WWW_Authenticate=f'Basic realm="{ECHO}"'),
    "refusal with 200": http(200, {"error": "Invalid Grant", "detailedmessage": ECHO}),
    "redirect": http(302, ECHO, Location=f"http://127.0.0.1:1/{CANARIES['code']}"),
    "HTML": http(200, f"<html>{ECHO}</html>", "text/html"),
    "cut JSON": http(200, json.dumps({**TOKENS, "x": ECHO})[:-4]),
    "wrong types": http(200, {**TOKENS, "refresh_token": [ECHO], "id": ECHO}),
    "a token no header can carry": http(200, {"access_token": CANARIES["access"] + "\r\n\ud800"}),
    "server error": http(500, ECHO, "text/plain", Retry_After=ECHO),
    "throttled": http(429, ECHO, "text/plain", Retry_After="7"),
    "no HTTP": ECHO.encode() + b"\r\n\r\n",
    "broken header": b"HTTP/1.1 200 OK\r\nbroken " + ECHO.encode() + b"\r\nContent-Length: 2\r\n\r\n{}",
    "wrong compression": http(200, ECHO, Content_Encoding="gzip"),
    "too large": http(200, ECHO * 60_000),
    "OperationOutcome": http(403, {"resourceType": "OperationOutcome", "issue": [{"diagnostics": ECHO}]}),
}


class EveryRecord(logging.Handler):
    """Keeps all it is given, formatted, with whatever is attached."""

    def __init__(self):
        super().__init__(0)
        self.heard = []

    def emit(self, record):
        self.heard.append(f"{record.name} {record.getMessage()} {vars(record)!r}")
        if record.exc_info:
            self.heard.append("".join(traceback.format_exception(*record.exc_info)))


@pytest.fixture
def heard():
    """Everything logged by anybody: root and every existing logger at level 1, disabled ones enabled."""
    handler = EveryRecord()
    loggers = [logging.getLogger(name) for name in list(logging.root.manager.loggerDict)]
    before = [(logger, logger.level, logger.disabled, logger.propagate) for logger in (logging.root, *loggers)]
    for logger, *_ in before:
        logger.setLevel(1)
        logger.disabled, logger.propagate = False, True
        logger.addHandler(handler)
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        yield lambda: "\n".join([*handler.heard, printed.getvalue()])
    for logger, level, disabled, propagate in before:
        logger.setLevel(level)
        logger.disabled, logger.propagate = disabled, propagate
        logger.removeHandler(handler)


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    """Token calls have the transport's own ten seconds; here they are out of patience sooner."""
    defaults = dict(transport.guard.__kwdefaults__ or {}, total_seconds=0.2)
    monkeypatch.setattr(transport.guard, "__kwdefaults__", defaults)
    monkeypatch.setattr(transport, "TOTAL_SECONDS", 0.2)
    monkeypatch.setattr(fhir, "_PAGE_SECONDS", 0.2)


def assert_clean(text):
    assert not [name for name, canary in CANARIES.items() if canary in text]


def chain(error):
    """The exception and everything hanging on it, suppressed or not."""
    pending, seen = [error], []
    while pending:
        current = pending.pop()
        if current is None or current in seen:
            continue
        seen.append(current)
        pending += [current.__cause__, current.__context__]
    return seen


def assert_alone_and_clean(error):
    assert chain(error) == [error]
    assert error.args == ()
    printed = "".join(traceback.format_exception(error))
    assert_clean(f"{error} {error!r} {vars(error)!r} {printed} {getattr(error, '__notes__', '')}")
    assert_clean(repr(pickle.loads(pickle.dumps(error))))


def calls(server, authentication):
    """Every call of the wire that carries something secret."""
    query = authentication is Authentication.QUERY
    endpoint = token_endpoint.TokenEndpoint(
        server.url("/token"),
        Client("our-id", Secret(CANARIES["secret"]), authentication, SIGNING_KEY),
        DIALECTS["patient-access" if query else "smart"],
        LOOPBACK,
        revocation_url=server.url("/revoke"),
    )
    home = fhir.FhirServer(server.url("/fhir/r4"), FhirVersion.R4, DIALECTS["patient-access"], LOOPBACK)
    access = Secret(CANARIES["access"])
    verifier, state = Secret(CANARIES["verifier"]), Secret(CANARIES["state"])
    return [
        lambda: token_endpoint.exchange(
            endpoint,
            code=Secret(CANARIES["code"]),
            redirect_uri="https://us.example/back",
            pkce_verifier=verifier,
            state=state,
        ),
        lambda: token_endpoint.refresh(endpoint, refresh_token=Secret(CANARIES["refresh"])),
        lambda: token_endpoint.revoke(endpoint, token=Secret(CANARIES["refresh"])),
        lambda: discovery.discover(home),
        lambda: fhir.find_patients(home, access_token=access),
        lambda: fhir.read(home, access_token=access, resource_type="Patient", logical_id="1"),
        lambda: fhir.search(home, access_token=access, resource_type="Goal", patient_id=CANARIES["patient"]),
        lambda: fhir.follow(home, access_token=access, next_url=server.url("/fhir/R4/Goal?page=2")),
    ]


class TestTheWire:
    @pytest.mark.conformance("C9")
    @pytest.mark.parametrize(
        "authentication",
        [Authentication.QUERY, Authentication.BASIC, Authentication.BODY, Authentication.PRIVATE_KEY_JWT],
    )
    @pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
    def test_says_nothing_secret_whatever_the_answer(self, answer, authentication, heard):
        failed = 0
        with serving(answer) as server:
            for call in calls(server, authentication):
                try:
                    assert_clean(repr(call()))
                except WireError as error:
                    failed += 1
                    assert_alone_and_clean(error)
        assert_clean(heard())
        carried = repr(server.requests)
        assert all(CANARIES[name] in carried for name in ("code", "refresh", "access"))  # the canaries did fly
        assert failed or answer is answers_well

    def test_says_nothing_of_an_id_token_right_or_wrong(self, heard):
        told = {"sub": CANARIES["patient"], "nonce": CANARIES["state"], "fhirUser": f"Patient/{CANARIES['patient']}"}
        with serving(issuing(PUBLISHED)) as server:
            issuer = Issuer(server.url("/idsps/one/"))
            right = issuer.token(**told)
            for written in (
                right,
                right[:-40],
                right + "x" * 40_000,
                issuer.token(**told, aud=ECHO),
                issuer.token(**told, iss=f"https://{ECHO}/"),
                issuer.token(**told, key=ATTACKERS),
                issuer.token(**told, header={"kid": ECHO, "jku": ECHO}),
                issuer.token(**told, header={"alg": ECHO}, algorithm="RS256"),
                issuer.token(**{**told, "nonce": ECHO}),
                issuer.token(**told, exp=ECHO),
            ):
                try:
                    assert_clean(repr(issuer.verify(written, nonce=Secret(CANARIES["state"]))))
                except WireError as error:
                    assert written != right
                    assert_alone_and_clean(error)
        assert_clean(heard())

    def test_says_nothing_secret_when_building_the_authorization_url(self, heard):
        authorization.authorization_url(
            authorize_url="http://127.0.0.1:8900/authorize",
            client_id="our-id",
            redirect_uri="https://us.example/back",
            state=Secret(CANARIES["state"]),
            pkce_verifier=Secret(CANARIES["verifier"]),
        )
        assert_clean(heard())

    def test_says_nothing_secret_when_nobody_is_there(self, heard):
        with serving(b"") as server:
            pass
        for call in calls(server, Authentication.QUERY):
            with pytest.raises(WireError) as refused:
                call()
            assert_alone_and_clean(refused.value)
        assert_clean(heard())

    def test_would_be_overheard_without_the_silence(self, heard):
        """The ears of these tests work: an ordinary logger, and the library's with its filter taken off, are heard."""
        logging.getLogger("apps.wire.anything").debug("%s", CANARIES["code"])
        assert CANARIES["code"] in heard()
        talkative = logging.getLogger("requests_oauthlib.oauth2_session")
        filters, talkative.filters = talkative.filters, []
        try:
            with serving(answers_well) as server:
                calls(server, Authentication.QUERY)[0]()
        finally:
            talkative.filters = filters
        assert CANARIES["secret"] in heard()
        assert CANARIES["access"] in heard()

    def test_stays_silent_after_logging_is_configured_anew(self, heard):
        logging.config.dictConfig(
            {
                "version": 1,
                "disable_existing_loggers": False,
                "loggers": {
                    name: {"level": "DEBUG"}
                    for name in ("urllib3", "urllib3.connectionpool", "requests_oauthlib.oauth2_session")
                },
            }
        )
        with serving(answers_well) as server:
            for call in calls(server, Authentication.QUERY)[:2]:
                call()
        assert_clean(heard())


class TestATypeThatHoldsASecret:
    def test_cannot_be_printed(self):
        held = [
            Secret(CANARIES["secret"]),
            Client("our-id", Secret(CANARIES["secret"]), Authentication.QUERY),
            Client("our-id", None, Authentication.PRIVATE_KEY_JWT, SIGNING_KEY),
            SIGNING_KEY,
            assertion(
                Client("our-id", None, Authentication.PRIVATE_KEY_JWT, SIGNING_KEY),
                audience="https://x.example",
                at=NOW,
            ),
            Identity("https://x.example", CANARIES["patient"], CANARIES["patient"]),
            authorization.read_response({"state": [CANARIES["state"]], "code": [CANARIES["code"]]}),
            fhir.Resource("Patient", CANARIES["patient"], CANARIES["patient"].encode()),
        ]
        gc.collect()
        for one in held:
            assert_clean(f"{one} {one!r} {[one]} {one!s:>30}")
