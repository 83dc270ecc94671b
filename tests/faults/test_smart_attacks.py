"""Attacks on linking at SMART deployments, with the sandbox or a second one as the attacker (interface facts, 6).

Each ends the same way: a page that names the truth, nothing stored, and no code, secret or token where it was wanted.
"""

from datetime import timedelta
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from django.db.models import F
from django.utils import timezone

from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from apps.connections.outcomes import Outcome
from apps.directory import discovering, enabling, linkability
from apps.directory.linkability import Obstacle
from apps.directory.models import Endpoint
from tests.connections.deployments import NOBODY, RIVERSIDE, place_at
from tests.faults.practice import Visit
from tests.faults.travelling import Traveller, within_the_site
from tests.fixtures.consent import agree

pytestmark = pytest.mark.django_db


@pytest.fixture
def mallory(sam):
    """The attacker, with an account of their own."""
    agree(sam)
    return Traveller(sam)


def query(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query))


def changed(url: str, **parameters: str | None) -> str:
    """The address with these parameters instead; None leaves one out."""
    kept = {name: value for name, value in (query(url) | parameters).items() if value is not None}
    return f"{url.partition('?')[0]}?{urlencode(kept)}"


def outcomes() -> set[str]:
    return set(AuthorizationRequest.objects.values_list("outcome", flat=True))


@pytest.fixture(autouse=True)
def _leaves_nothing():
    """Whatever was tried: nobody's record was found, and no token is kept."""
    yield
    assert not Connection.objects.exists()
    assert not StoredTokenSet.objects.exists()


class TestAMixUp:
    @pytest.mark.conformance("C31")
    def test_that_sends_the_patient_on_to_the_honest_server_gains_no_code(self, deploy, attacker, patient):
        """RFC 9700 section 4.4.1: a hostile server answers with a redirect to the honest one, under our id there and
        with the state of its own request. The honest one sends the code to its own redirect URI, where that state is
        unknown."""
        honest, hostile = deploy(), deploy(at=attacker)
        theirs = query(patient.leave(hostile))
        sent_to = Visit().answer(changed(patient.leave(honest), state=theirs["state"]))
        page = patient.get(within_the_site(sent_to))
        assert "We did not start this sign-in" in page.html
        assert honest.sent(to="/token") == hostile.sent(to="/token") == []

    @pytest.mark.conformance("C31")
    def test_has_no_redirect_uri_to_have_the_code_sent_to(self, deploy, attacker, patient):
        honest, hostile = deploy(), deploy(at=attacker)
        theirs = query(patient.leave(hostile))
        mixed = changed(patient.leave(honest), state=theirs["state"], redirect_uri=theirs["redirect_uri"])
        assert Visit().answer(mixed) is None
        assert honest.sent(to="/token") == hostile.sent(to="/token") == []

    @pytest.mark.conformance("C31")
    def test_is_seen_where_an_answer_names_another_issuer(self, deploy, patient):
        place = deploy(scenario="mix-up")
        page = patient.go_there(place)
        assert "We could not confirm who answered" in page.html
        assert outcomes() == {Outcome.WRONG_ISSUER}
        assert place.sent(to="/token") == []

    def test_by_another_token_address_is_never_followed(self, deploy, sandbox, attacker, patient):
        """The honest sign-in page, and a token address at the attacker's: the code and our proof would go there."""
        place = deploy()
        sandbox.post("/control/rogue-root", token_origin=attacker.origin)
        try:
            make_stale(place.endpoint)
            page = patient.post(place.before_you_go)
        finally:
            sandbox.delete("/control/rogue-root")
        assert page.status == 409
        assert "Where you sign in has changed" in page.html
        assert attacker.get("/control/requests?method=POST")["requests"] == []
        assert not AuthorizationRequest.objects.exists()


class TestAnInjectedCode:
    def test_opens_nothing_in_the_victim_s_browser(self, deploy, patient, mallory):
        """RFC 9700 section 4.5: a code of the attacker's sign-in, in an answer to the patient's request. It would put
        the attacker's record into the patient's account."""
        place = deploy()
        code = query(mallory.sent_back(place, username="george"))["code"]
        page = patient.get(changed(patient.sent_back(place), code=code))
        assert "The sign-in could not be finished" in page.html
        assert Outcome.CODE_REFUSED in outcomes()

    def test_of_the_patient_opens_nothing_in_the_attacker_s(self, deploy, patient, mallory):
        place = deploy()
        stolen = query(patient.sent_back(place))["code"]
        page = mallory.get(changed(mallory.sent_back(place, username="george"), code=stolen))
        assert "The sign-in could not be finished" in page.html

    def test_of_another_organization_opens_nothing(self, deploy, patient):
        """A swapped tenant: the same patient, a code of another organization's."""
        one, other = deploy(), deploy(provider=RIVERSIDE)
        code = query(patient.sent_back(other))["code"]
        page = patient.get(changed(patient.sent_back(one), code=code))
        assert "The sign-in could not be finished" in page.html
        assert {request["status"] for request in one.sent(to=f"/tenants/{one.endpoint.tenant}/")} >= {400}

    def test_of_another_organization_opens_nothing_under_one_registration_either(self, deploy, patient):
        """The same where one registration serves both, and answers of both come to one redirect URI."""
        one = deploy()
        row, endpoint = place_at(one.sandbox, provider=RIVERSIDE)
        discovering.discover(endpoint, at=timezone.now())
        enabling.serve(one.registration, endpoint, actor=NOBODY, at=timezone.now())
        assert linkability.obstacle(endpoint, provider=row, at=timezone.now()) is None
        there = f"/connect/{row.pk}/{endpoint.pk}/"
        code = query(Visit().answer(patient.leave_from(there)) or "")["code"]
        page = patient.get(changed(patient.sent_back(one), code=code))
        assert "The sign-in could not be finished" in page.html
        (request,) = one.sent(to="/token")
        assert f"/tenants/{one.endpoint.tenant}/" in request["path"]


class TestAWrongAudience:
    @pytest.mark.parametrize("below", ["", "another/"])
    def test_yields_no_code(self, deploy, attacker, patient, below):
        """Facts 3.4: without the right `aud` the genuine token could be meant for a rogue root."""
        place = deploy()
        aud = place.endpoint.fhir_base_url + below if below else f"{attacker.origin}/b/myrecord/r4/"
        sent_to = Visit().answer(changed(patient.leave(place), aud=aud))
        assert sent_to is not None
        assert "code=" not in sent_to
        page = patient.get(within_the_site(sent_to))
        assert "Something in our request was not accepted" in page.html
        assert outcomes() == {Outcome.REQUEST_REFUSED}
        assert place.sent(to="/token") == []


class TestARogueFhirRoot:
    """It announces the genuine authorization server as its own, to be sent the genuine token."""

    @pytest.fixture
    def rogue(self, deploy, sandbox, attacker):
        genuine = deploy()
        attacker.post("/control/rogue-root", authorize_origin=sandbox.origin, token_origin=sandbox.origin)
        row, endpoint = place_at(attacker)
        discovering.discover(endpoint, at=timezone.now())
        endpoint.refresh_from_db()
        assert endpoint.authorization_server == genuine.endpoint.authorization_server
        return genuine, row, endpoint

    def test_is_switched_off_until_staff_know_it(self, rogue, patient):
        _genuine, row, endpoint = rogue
        assert linkability.obstacle(endpoint, provider=row, at=timezone.now()) is Obstacle.STRANGER
        assert patient.post(f"/connect/{row.pk}/{endpoint.pk}/").status == 409

    def test_gets_no_token_even_where_staff_trusted_it(self, rogue, attacker, patient):
        """The genuine server is told for whom the token would be, and has no such root."""
        genuine, row, endpoint = rogue
        Endpoint.objects.filter(pk=endpoint.pk).update(is_switched_on=True, is_stranger=False)
        attacker.delete("/control/requests")
        left = patient.leave_from(f"/connect/{row.pk}/{endpoint.pk}/")
        assert query(left)["aud"] == endpoint.fhir_base_url
        sent_to = Visit().answer(left)
        assert sent_to is not None
        assert "code=" not in sent_to
        patient.get(within_the_site(sent_to))
        assert outcomes() == {Outcome.REQUEST_REFUSED}
        assert genuine.sent(to="/token") == []
        asked = attacker.get("/control/requests")["requests"]
        assert not [request for request in asked if "Authorization" in request["headers"]]


class TestAReplayedAnswer:
    @pytest.mark.conformance("C30")
    def test_sends_nothing_from_another_browser(self, deploy, patient, mallory):
        place = deploy()
        page = mallory.get(patient.sent_back(place))
        assert "Please finish where you started" in page.html or "You are signed in as someone else" in page.html
        assert place.sent(to="/token") == []


class TestADowngradedRequest:
    @pytest.mark.conformance("C29")
    def test_without_its_challenge_gains_no_token(self, deploy, patient):
        """RFC 9700 section 4.8: the challenge is cut out on the way. We send the verifier all the same, and a server
        that honours PKCE refuses one without a challenge."""
        place = deploy()
        cut = changed(patient.leave(place), code_challenge=None, code_challenge_method=None)
        sent_to = Visit().answer(cut)
        page = patient.get(within_the_site(sent_to))
        assert "The sign-in could not be finished" in page.html
        (request,) = place.sent(to="/token")
        assert "code_verifier=" in request["body"]

    @pytest.mark.conformance("C29")
    def test_with_a_plain_challenge_is_not_ours(self, deploy, patient):
        """Whatever a server says of the methods it knows."""
        place = deploy()
        server = place.endpoint.authorization_server
        for methods in (["plain"], ["plain", "S256"], [], None):
            type(server).objects.filter(pk=server.pk).update(pkce_methods=methods)
            assert query(patient.leave(place))["code_challenge_method"] == "S256"


class TestAReplayedAnswerInItsOwnBrowser:
    @pytest.mark.conformance("C30", "C47")
    def test_is_exchanged_once(self, deploy, patient):
        place = deploy()
        back = patient.sent_back(place)
        assert "Is this the right person?" in patient.get(back).html
        assert len(place.sent(to="/token")) == 1
        connection = Connection.objects.get()
        again = patient.get(back)
        assert "Is this the right person?" in again.html
        assert len(place.sent(to="/token")) == 1
        patient.post(f"/connections/{connection.pk}/confirm/", answer="no")
        assert "This step is already done" in patient.get(back).html
        assert len(place.sent(to="/token")) == 1


def make_stale(endpoint: Endpoint) -> None:
    """Discovery may be asked again, and is due."""
    rows = Endpoint.objects.filter(pk=endpoint.pk)
    rows.update(discovery_tried_at=F("discovery_tried_at") - timedelta(minutes=15), discovered_at=None)
