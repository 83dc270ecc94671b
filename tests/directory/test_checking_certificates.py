"""What a check sees over TLS: the certificates of the FHIR host and of the sign-in hosts, and when they end."""

import logging
import socket
from datetime import timedelta

import pytest
from django.utils import formats

from apps.directory.models import AuthorizationServer, EndpointCheck
from apps.directory.monitoring import checking, comparing
from tests.directory.smart_deployment import LOGIN
from tests.directory.test_checking import statement
from tests.fixtures.tls import NOW, Authority
from tests.wire.servers import http, serving

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
NAME = "provider.example"


@pytest.fixture
def endpoint(make_provider, make_endpoint):
    return make_endpoint(make_provider("Harbor"), host=NAME)


@pytest.fixture
def asked():
    """What the server of each check was asked, over plain requests."""
    return []


@pytest.fixture
def check(endpoint, authority, tls_provider, route, tmp_path, asked):
    """Checks while a server with this certificate stands there; `at` is NOW, because TLS has the machine's clock."""

    def check(*, by=authority, names=(NAME,), at=NOW, **validity) -> EndpointCheck:
        context = by.context(tmp_path, *names, **validity)
        with tls_provider(context, answer=http(200, statement())) as server:
            route(server.port)
            made = checking.check(endpoint, at=at)
        asked.append(server.requests)
        return made

    return check


class TestACertificate:
    def test_of_all_hosts_is_kept_with_its_end(self, check, asked):
        until = (NOW + timedelta(days=90)).replace(microsecond=0)
        made = check(until=until)
        assert (made.outcome, made.warnings, made.certificate_ends_at) == ("well", [], until)
        (kept,) = made.certificates
        assert (kept["host"], kept["issuer"], kept["tls_version"]) == (NAME, "Test authority", "TLSv1.3")
        assert [request.target for request in asked[-1]] == ["/fhir/r4/metadata"]

    @pytest.mark.parametrize(
        ("made_with", "fault"),
        [
            ({"until": NOW - DAY}, "certificate_expired"),
            ({"since": NOW + DAY, "until": NOW + 2 * DAY}, "certificate_not_yet"),
            ({"names": ["other.example"]}, "certificate_other_host"),
            ({"by": Authority()}, "certificate_untrusted"),
        ],
    )
    def test_that_is_not_believed_makes_it_ill_and_nothing_is_asked(self, made_with, fault, check, asked):
        made = check(**made_with)
        assert (made.outcome, made.faults) == ("ill", [fault])
        assert asked[-1] == []

    @pytest.mark.parametrize(
        ("days", "warnings"),
        [
            (31, []),
            (29, ["certificate_ends_soon"]),
            (15, ["certificate_ends_soon"]),
            (13, ["certificate_ends_very_soon"]),
        ],
    )
    def test_that_ends_soon_is_well_and_warned_of(self, days, warnings, check):
        made = check(until=NOW + timedelta(days=days))
        assert (made.outcome, made.warnings) == ("well", warnings)

    def test_that_was_renewed_is_a_change_and_so_is_who_issued_it(self, check, authority):
        check(until=NOW + timedelta(days=20))
        renewed = check(until=NOW + timedelta(days=90), at=NOW + DAY)
        old, new = (formats.date_format(NOW + timedelta(days=days)) for days in (20, 90))
        assert [comparing.words(change) for change in renewed.changes] == [
            f"The certificate of {NAME} was renewed: it ends on {new}. The old one: {old}."
        ]
        elsewhere = check(by=Authority("Another"), at=NOW + 2 * DAY)
        assert elsewhere.changes[1]["what"] == "certificate_issuer"

    def test_is_remembered_while_the_host_is_silent(self, check, endpoint, route):
        until = check(until=NOW + timedelta(days=20)).certificate_ends_at
        with serving(b"") as gone:
            route(gone.port)
        silent = checking.check(endpoint, at=NOW + DAY)
        assert silent.faults == ["no_answer"]
        assert (silent.certificate_ends_at, silent.changes) == (until, [])
        assert silent.warnings == ["certificate_ends_soon"]

    def test_about_to_end_is_told_to_staff_once(self, check, caplog):
        caplog.set_level(logging.ERROR, "apps.directory.monitoring.checking")
        check(until=NOW + timedelta(days=13))
        check(until=NOW + timedelta(days=13), at=NOW + DAY)
        assert [record.getMessage()[:33] for record in caplog.records] == ["A certificate ends within 14 days"]


class TestTheHostWherePeopleSignIn:
    def test_is_looked_at_and_asked_nothing(self, check, endpoint, authority, tmp_path, asked):
        AuthorizationServer.objects.update(token_url="https://login.example/token")
        endpoint.refresh_from_db()
        made = check(names=(NAME, "login.example"))
        assert [kept["host"] for kept in made.certificates] == [NAME, "login.example"]
        assert [request.target for request in asked[-1]] == ["/fhir/r4/metadata"]

    def test_is_new_and_not_renewed_where_it_is_another_host_than_before(self, check, endpoint):
        check()
        AuthorizationServer.objects.update(token_url="https://login.example/token")
        endpoint.refresh_from_db()
        assert [change["what"] for change in check(names=(NAME, "login.example"), at=NOW + DAY).changes] == [
            "token_url",
            "certificate",
        ]

    def test_makes_it_ill_where_its_certificate_is_wrong(self, check, endpoint):
        AuthorizationServer.objects.update(token_url="https://login.example/token")
        endpoint.refresh_from_db()
        assert check().faults == ["certificate_other_host"]

    def test_makes_it_ill_where_it_is_silent(self, check, endpoint, monkeypatch):
        server = endpoint.authorization_server
        server.authorize_url, server.token_url = f"https://{NAME}/authorize", "https://login.example/token"
        resolve = socket.getaddrinfo

        def resolve_one(host, *rest, **options):
            if host == "login.example":
                raise OSError("no such name")
            return resolve(host, *rest, **options)

        monkeypatch.setattr(socket, "getaddrinfo", resolve_one)
        assert check().faults == ["no_sign_in"]


class TestASmartDeployment:
    def test_is_discovered_anew(self, root):
        root.metadata = statement()
        root.says(
            authorization_endpoint=root.url.replace("/r4/one", "/authorize"),
            token_endpoint=root.url.replace("/r4/one", "/token"),
        )
        made = checking.check(root.endpoint, at=NOW)
        assert (made.faults, made.token_url) == ([], root.url.replace("/r4/one", "/token"))
        assert root.endpoint.discovered_at == NOW
        root.says(token_endpoint=root.url.replace("/r4/one", "/new/token"), issuer=f"{LOGIN}/new")
        changed = checking.check(root.endpoint, at=NOW + DAY)
        assert [change["what"] for change in changed.changes] == ["token_url", "issuer"]

    def test_is_ill_where_it_names_another_origin(self, root):
        root.metadata = statement()
        root.says(**dict.fromkeys(("authorization_endpoint", "token_endpoint"), root.url.replace("/r4/one", "/a")))
        checking.check(root.endpoint, at=NOW)
        root.says(token_endpoint="http://127.0.0.1:9/token")
        made = checking.check(root.endpoint, at=NOW + DAY)
        assert (made.faults, made.warnings, made.changes) == (["addresses_moved"], [], [])

    def test_is_ill_where_it_does_not_say_where_people_sign_in(self, root):
        root.configuration, root.metadata = 404, statement()
        assert checking.check(root.endpoint, at=NOW).faults == ["no_smart_configuration"]

    def test_is_called_not_enabled_where_it_shows_nothing_to_anybody(self, root):
        root.configuration = root.metadata = 403
        assert checking.check(root.endpoint, at=NOW).faults == ["not_enabled"]

    def test_is_warned_of_where_its_documents_disagree(self, root):
        addresses = dict.fromkeys(("authorize", "token"), root.url.replace("/r4/one", "/other"))
        root.metadata = statement()
        inner = [{"url": name, "valueUri": url} for name, url in addresses.items()]
        url = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"
        root.metadata["rest"][0]["security"] = {"extension": [{"url": url, "extension": inner}]}
        root.says(**dict.fromkeys(("authorization_endpoint", "token_endpoint"), root.url.replace("/r4/one", "/a")))
        made = checking.check(root.endpoint, at=NOW)
        assert (made.faults, made.warnings) == ([], ["documents_disagree"])
