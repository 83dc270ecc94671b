"""`moved_addresses` shows old and new addresses, and approves one endpoint at a time, by the origin that was typed."""

import io

import pytest
from django.core.management import CommandError, call_command

from apps.audit.models import AuditEvent
from apps.connections.models import StoredTokenSet
from apps.directory.models import AuthorizationServer, Endpoint, KnownOrigins
from tests.connections.link_rows import HOUR, NOW, make_link, make_registration, provider, registration

__all__ = ["make_link", "make_registration", "provider", "registration"]  # fixtures

NEW = "https://new.example"


def run(*options):
    """What it prints, and with what it ends."""
    printed = io.StringIO()
    try:
        call_command("moved_addresses", *options, stdout=printed)
    except CommandError as ended:
        return printed.getvalue(), (ended.returncode, str(ended))
    return printed.getvalue(), (0, "")


@pytest.fixture
def endpoint(make_link, registration) -> Endpoint:
    """A list led it to another origin; a patient is linked there."""
    make_link(refresh_due_at=NOW, refresh_deadline_at=NOW + HOUR)
    row: Endpoint = registration.authorization_server.endpoints.get()
    before = row.authorization_server
    after = AuthorizationServer.objects.create(
        source="configured", authorize_url=f"{NEW}/authorize", token_url=f"{NEW}/token", found_at=NOW
    )
    row.authorization_server, row.moved_from = after, before
    row.named_authorize_url, row.named_token_url = after.authorize_url, after.token_url
    row.save()
    return row


class TestMovedAddresses:
    def test_says_that_none_has_moved(self, make_link, registration):
        make_link()
        assert run() == ("No endpoint with links has moved without approval.\n", (0, ""))
        url = registration.authorization_server.endpoints.get().fhir_base_url
        assert run(url) == (f"{url}: has not moved\n", (0, ""))

    def test_shows_old_and_new_of_what_waits_and_ends_with_1(self, endpoint):
        text, (code, _why) = run()
        assert code == 1
        for url in (endpoint.fhir_base_url, endpoint.moved_from.token_url, endpoint.moved_from.authorize_url):
            assert url in text
        assert f"and are given now    {NEW}/token" in text
        assert "waits for staff; 1 link" in text
        assert not KnownOrigins.objects.exists()

    def test_says_how_many_links_wait(self, endpoint, make_link):
        other = make_link(endpoint=endpoint, refresh_due_at=NOW, refresh_deadline_at=NOW + HOUR)
        known = endpoint.moved_from.token_url.removesuffix("/token")
        StoredTokenSet.objects.update(token_origin=known)
        assert "wait" not in run(endpoint.fhir_base_url)[0].replace("waits for staff", "")
        StoredTokenSet.objects.filter(connection=other).update(token_origin=f"{NEW}:443")
        for options in ((), (endpoint.fhir_base_url,)):
            text = run(*options)[0]
            assert "waits for staff; 2 links" in text
            assert "links that wait      1: " in text

    @pytest.mark.parametrize("options", [("--approve", NEW), ("--withdraw",)])
    def test_does_nothing_to_several_at_once(self, endpoint, options):
        assert run(*options)[1] == (1, "Say which endpoint: one at a time.")
        assert not KnownOrigins.objects.exists()

    @pytest.mark.parametrize(
        "typed", ["https://old.example", f"{NEW}.thief.example", "new.example", f"{NEW}/token", ""]
    )
    def test_approves_no_origin_but_the_one_that_was_printed(self, endpoint, typed):
        assert run(endpoint.fhir_base_url, "--approve", typed)[1][0] == 1
        assert not KnownOrigins.objects.exists()

    @pytest.mark.parametrize("typed", [NEW, f"{NEW}/", f"{NEW}:443"])
    def test_approves_one_and_takes_it_back(self, endpoint, typed):
        text, ended = run(endpoint.fhir_base_url, "--approve", typed)
        assert ended == (0, "")
        assert "moved, approved " in text
        assert run()[1] == (0, "")
        text, ended = run(endpoint.fhir_base_url, "--withdraw")
        assert ended == (0, "")
        assert "waits for staff" in text
        actions = AuditEvent.objects.order_by("pk").values_list("actor_name", "facts__action")
        assert list(actions) == [("moved_addresses", "origins approved"), ("moved_addresses", "origins withdrawn")]

    def test_approves_no_place_to_sign_in_that_was_not_typed_too(self, endpoint):
        login = "https://login.example"
        endpoint.named_authorize_url = f"{login}/authorize"
        endpoint.save()
        assert f"origin to approve    {NEW} {login}" in run(endpoint.fhir_base_url)[0]
        for typed in ([NEW], [login], [login, NEW], [NEW, "https://thief.example"], [NEW, login, login]):
            assert run(endpoint.fhir_base_url, "--approve", *typed)[1][0] == 1, typed
        assert not KnownOrigins.objects.exists()
        run(endpoint.fhir_base_url, "--approve", NEW, login)
        assert KnownOrigins.objects.get().authorize_origin == f"{login}:443"

    def test_says_that_nothing_was_to_be_taken_back(self, endpoint):
        assert run(endpoint.fhir_base_url, "--withdraw")[1] == (1, "Nothing was changed. No approval stands there.")
