"""Whose record it is if two people may be meant, and which claims are believed (interface facts 3.6, 3.7)."""

from dataclasses import replace

import pytest
from django.utils import timezone

from apps.connections.authorization_responses import identifying
from apps.connections.models import AuthorizationRequest
from apps.wire.errors import IdentityFault, IdentityRefused, OrganizationNotEnabled
from apps.wire.secret import Secret
from apps.wire.token_endpoint import TokenSet
from tests.connections.provider_stand_in import ACCESS, CHILD
from tests.wire.servers import http

pytestmark = pytest.mark.django_db

PARENT = "Patient/p-7399"
TOKENS = TokenSet(access_token=Secret(ACCESS), expires_in_seconds=570, refresh_token=None)


@pytest.fixture
def request_of_a_parent(traveller, smart_place):
    traveller.leave(smart_place)
    return AuthorizationRequest.objects.select_related("endpoint", "registration__authorization_server").get()


@pytest.fixture
def find(stand_in, request_of_a_parent):
    """Asks with the tokens of a parent who chose somebody, whom the token answer does not name."""

    def asked(*, parent: bytes, everybody: bytes):
        def answer(request):
            yield parent if request.path.endswith(PARENT) else everybody

        stand_in.server.answer = answer
        return identifying.find(request_of_a_parent, TOKENS, fhir_user=PARENT)

    return asked


class TestAnIdTokenNobodyAskedFor:
    def test_is_left_unread(self, request_of_a_parent):
        """A server without known issuers may send one to everybody; what is asked for has no openid."""
        AuthorizationRequest.objects.update(requested_scope="launch/patient patient/*.rs")
        request_of_a_parent.refresh_from_db()
        came = replace(TOKENS, id_token=Secret("not even a token"))
        assert identifying.verify(request_of_a_parent, came, nonce=None, at=timezone.now()) == ""

    def test_is_verified_where_it_was_asked_for(self, request_of_a_parent):
        AuthorizationRequest.objects.update(requested_scope="launch/patient openid fhirUser")
        request_of_a_parent.refresh_from_db()
        came = replace(TOKENS, id_token=Secret("not even a token"))
        with pytest.raises(IdentityRefused):
            identifying.verify(request_of_a_parent, came, nonce=None, at=timezone.now())


class TestAnIdTokenThatWasGrantedAndDidNotCome:
    @pytest.fixture
    def verify(self, request_of_a_parent):
        def verified(*, scope: tuple[str, ...] | None, has_pkce: bool) -> str:
            AuthorizationRequest.objects.update(requested_scope="launch/patient openid fhirUser")
            request_of_a_parent.refresh_from_db()
            if not has_pkce:
                request_of_a_parent.sealed_pkce_verifier = None
            return identifying.verify(
                request_of_a_parent, replace(TOKENS, scope=scope), nonce=Secret("a nonce"), at=timezone.now()
            )

        return verified

    @pytest.mark.parametrize("scope", [None, ("launch/patient", "openid")], ids=["scope unsaid", "openid granted"])
    def test_is_refused_where_nothing_else_ties_the_code_to_the_browser(self, verify, scope):
        with pytest.raises(IdentityRefused) as refused:
            verify(scope=scope, has_pkce=False)
        assert refused.value.fault is IdentityFault.MISSING

    def test_is_not_missed_where_pkce_does(self, verify):
        assert verify(scope=None, has_pkce=True) == ""

    def test_is_not_missed_where_openid_was_not_granted(self, verify):
        assert verify(scope=("launch/patient",), has_pkce=False) == ""


class TestAParentWhoseOwnRecordIsNotOpen:
    @pytest.mark.parametrize("status", [403, 404])
    def test_is_asked_for_the_child_instead(self, find, status):
        found = find(parent=http(status), everybody=http(body=CHILD))
        assert [person.logical_id for person in found.people] == [CHILD["id"]]

    @pytest.mark.parametrize("status", [403, 404])
    def test_leaves_nobody_where_nobody_else_is_there(self, find, status):
        assert find(parent=http(status), everybody=http(404)).people == ()

    def test_of_an_organization_that_refuses_everything_is_told_by_the_last_answer(self, find):
        with pytest.raises(OrganizationNotEnabled):
            find(parent=http(403), everybody=http(403))
