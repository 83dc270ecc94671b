"""Holdfast works without what parts 6 and 9 of the specification leave open: events, webhooks and a version header."""

import json
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.urls import URLPattern, get_resolver
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.connections import refreshing
from apps.connections.models import AuthorizationRequest, Connection, PendingLaunch
from apps.directory import registering
from apps.records import syncing
from apps.records.models import Record, SyncRun
from apps.wire import fhir
from apps.wire.addresses import AddressPolicy
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.secret import Secret
from tests.faults.travelling import SITE
from tests.wire.servers import http, serving

pytestmark = pytest.mark.django_db

# What a request of ours may have; every one has the first four.
ALWAYS = {"Host", "User-Agent", "Accept-Encoding", "Connection"}
MAY_BE = ALWAYS | {"Accept", "Authorization", "Content-Type", "Content-Length"}
MESSAGE = json.dumps({"resourceType": "Bundle", "type": "subscription-notification", "code": "c", "state": "s"})
PATIENT = {"resourceType": "Patient", "id": "pat-1.a"}


def views(patterns):
    """Every view of the site."""
    for one in patterns:
        if isinstance(one, URLPattern):
            yield one.callback
        else:
            yield from views(one.url_patterns)


def sent_by_us(sandbox):
    """What the provider's program got from Holdfast, and not from the patient's browser."""
    asked = sandbox.get("/control/requests")["requests"]
    return [one for one in asked if one["headers"].get("User-Agent", "").startswith("Holdfast/")]


class TestTheSite:
    @pytest.mark.conformance("C75")
    def test_lets_no_post_of_another_origin_through_but_to_views_that_take_none(self):
        """A provider that posts has no cookie of ours. Views that ask for none read only what is followed; but that of
        a share's link, which no provider is given, and which takes a passcode."""
        assert "django.middleware.csrf.CsrfViewMiddleware" in settings.MIDDLEWARE
        everything = list(views(get_resolver().url_patterns))
        assert len(everything) > 100
        exempt = {f"{view.__module__}.{view.__name__}" for view in everything if getattr(view, "csrf_exempt", False)}
        assert exempt == {
            "apps.connections.views.callback.come_back",
            "apps.directory.views.key_set.key_set",
            "apps.portal.views.metrics.show",
            "apps.sharing.views.program.show_file",
            "apps.sharing.views.program.show_manifest",
        }
        assert Client(enforce_csrf_checks=True).post("/metrics").status_code == 405

    @pytest.mark.conformance("C75")
    @pytest.mark.parametrize("content_type", ["application/json", "application/fhir+json"])
    def test_takes_no_message_at_the_addresses_that_providers_know(self, place, content_type):
        """They are given the redirect URI, the launch address and the key set of our registration."""
        known = place.registration
        at = [registering.redirect_uri(known), registering.launch_url(known), "/.well-known/jwks.json", "/"]
        for address in at:
            path = address.removeprefix(SITE)
            assert path.startswith("/")
            answer = Client(enforce_csrf_checks=True).post(path, MESSAGE, content_type=content_type)
            assert answer.status_code in (403, 405), path
        assert not AuthorizationRequest.objects.exists()
        assert not PendingLaunch.objects.exists()
        assert not AuditEvent.objects.filter(subject__startswith="connection").exists()


class TestALink:
    @pytest.fixture(params=["patient access", "r4", "dstu2"])
    def there(self, request):
        """A provider of interface A, and a deployment of interface B in either version."""
        if request.param == "patient access":
            return request.getfixturevalue("place")
        return request.getfixturevalue("deploy")(version=request.param)

    @pytest.mark.conformance("C75")
    def test_is_made_refreshed_copied_and_ended_without_a_version_header_or_a_subscription(
        self, there, patient, sandbox
    ):
        connection = patient.found(there)
        patient.confirm(connection)
        connection.refresh_from_db()
        run = syncing.start(connection, cause=SyncRun.Cause.CONFIRMED, at=timezone.now())
        syncing.advance(run.pk, at=timezone.now())
        refreshing.usable_token(connection, at=timezone.now() + timedelta(hours=2))
        assert Record.objects.filter(connection=connection).exists()
        sent = sent_by_us(sandbox)
        assert sum("/token" in one["path"] for one in sent) >= 2
        assert any(one["path"].endswith("/Patient") or "/Patient/" in one["path"] for one in sent)
        for one in sent:
            assert set(one["headers"]) >= ALWAYS
            assert set(one["headers"]) <= MAY_BE, one["path"]
            assert "version" not in one["headers"].get("Accept", "").lower()
            assert "subscri" not in (one["path"] + one["query"] + one["body"]).lower()
            assert one["method"] == "GET" or "/token" in one["path"]

    @pytest.mark.conformance("C75")
    def test_that_the_provider_ended_is_found_out_by_asking(self, deploy, patient, sandbox):
        """Nobody tells us: the next refresh does."""
        connection = patient.found(deploy())
        patient.confirm(connection)
        sandbox.post("/control/grants/end")
        connection.refresh_from_db()
        assert connection.status == Connection.Status.ACTIVE
        with pytest.raises(refreshing.NeedsReauthorization):
            refreshing.usable_token(connection, at=timezone.now() + timedelta(hours=2))


class TestAnAnswer:
    @pytest.mark.conformance("C75")
    @pytest.mark.parametrize(
        "headers",
        [{}, {"Api_Version": "5.0.1.698"}, {"Api_Version": "9"}, {"Deprecation": "true", "Sunset": "yesterday"}],
    )
    def test_is_read_alike_whatever_version_its_headers_name(self, headers):
        with serving(http(200, PATIENT, **headers)) as server:
            at = fhir.FhirServer(
                server.url("/fhir"), FhirVersion.R4, DIALECTS["smart"], AddressPolicy(allow_loopback_http=True)
            )
            (found,) = fhir.find_patients(at, access_token=Secret("t"))
        assert found.logical_id == "pat-1.a"
