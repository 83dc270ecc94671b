"""Saving a page of the admin writes only the fields that were changed on it, for every model."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.concurrent_edits import ChangedFieldsForm, ConcurrentEditsAdmin
from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import signing
from apps.directory.models import (
    ApprovedOrigin,
    AuthorizationServer,
    ClientRegistration,
    Enablement,
    Endpoint,
    Provider,
    SigningKey,
    SystemAccount,
)
from tests.fixtures.admin_pages import opened, saved

pytestmark = pytest.mark.django_db
Row = Any
EVERY_ADMIN = sorted(admin.site._registry.values(), key=lambda one: one.opts.label)


def a_provider() -> Provider:
    """With an endpoint, where its people sign in, and our registration there."""
    at = timezone.now()
    server = AuthorizationServer.objects.create(
        source="configured",
        authorize_url="https://fhir.example.org/authorize",
        token_url="https://fhir.example.org/token",
        found_at=at,
    )
    ClientRegistration.objects.create(authorization_server=server, label="ours", authentication="query")
    endpoint = Endpoint.objects.create(
        fhir_base_url="https://fhir.example.org/r4", fhir_version="r4", interface="patient-access",
        dialect="patient-access", authorization_server=server, imported_at=at,
    )  # fmt: skip
    provider = Provider.objects.create(directory="tests", directory_id="1", name="Harbor", imported_at=at)
    provider.portals.create(endpoint=endpoint, name="Harbor Chart")
    return provider


def beside_a_provider(kind: type[Any]) -> Callable[[], Row]:
    """The one row of this kind that is there with a provider."""

    def made() -> Row:
        a_provider()
        return kind.objects.get()

    return made


def an_enablement() -> Enablement:
    endpoint, registration = (beside_a_provider(Endpoint)(), ClientRegistration.objects.get())
    return Enablement.objects.create(endpoint=endpoint, registration=registration, since_at=timezone.now())


# A row of each kind that can be changed. Whoever adds a page that can, adds one.
ROWS: Mapping[type[Any], Callable[[], Row]] = {
    User: lambda: User.objects.create_user("ann@example.org"),
    Group: lambda: Group.objects.create(name="desk"),
    ApprovedOrigin: lambda: ApprovedOrigin.objects.create(
        origin="https://fhir.example.org:8443", reason="theirs", approved_at=timezone.now()
    ),
    AuthorizationServer: beside_a_provider(AuthorizationServer),
    ClientRegistration: beside_a_provider(ClientRegistration),
    Enablement: an_enablement,
    Endpoint: beside_a_provider(Endpoint),
    Provider: a_provider,
    SigningKey: lambda: signing.make("ES384", actor=Actor.system("tests"), at=timezone.now()),
    SystemAccount: lambda: SystemAccount.objects.create(description="For records", requested_at=timezone.now()),
}


def named(one: Any) -> str:
    return str(one.opts.label)


class TestEveryAdmin:
    @pytest.mark.parametrize("one", EVERY_ADMIN, ids=named)
    def test_changes_nothing_or_only_what_was_changed(self, rf: RequestFactory, stella: User, one: Any):
        request = rf.get("/")
        request.user = stella
        if not one.has_change_permission(request):
            return
        assert one.model in ROWS
        assert isinstance(one, ConcurrentEditsAdmin)
        assert issubclass(one.get_form(request), ChangedFieldsForm)
        for inline in one.get_inline_instances(request):
            assert issubclass(inline.get_formset(request).form, ChangedFieldsForm)

    @pytest.mark.parametrize("one", [one for one in EVERY_ADMIN if one.model in ROWS], ids=named)
    def test_writes_nothing_where_nothing_was_changed(self, staff: Client, one: Any):
        row = ROWS[one.model]()
        page = opened(staff, row)
        with CaptureQueriesContext(connection) as asked:
            saved(staff, row, page)
        tables = {part._meta.db_table for part in (one.model, *(kind.model for kind in one.inlines))}
        written = [
            sql for sql in (query["sql"] for query in asked) if any(f'UPDATE "{name}"' in sql for name in tables)
        ]
        assert written == []


class TestGroupsOfAnAccount:
    @pytest.mark.parametrize(
        ("shown", "meanwhile", "chosen", "then"),
        [
            ("", "a", "", "a"),
            ("a", "ab", "a", "ab"),
            ("a", "ab", "ac", "abc"),
            ("a", "ab", "", "b"),
            ("ab", "a", "ab", "a"),
            ("ab", "b", "b", "b"),
            ("ab", "b", "abc", "bc"),
            ("", "a", "ab", "ab"),
        ],
    )
    def test_are_those_of_now_with_the_difference_that_the_page_made(
        self, staff: Client, alice: User, shown: str, meanwhile: str, chosen: str, then: str
    ):
        groups = {name: Group.objects.create(name=name) for name in "abc"}
        alice.groups.set(groups[name] for name in shown)
        page = opened(staff, alice)
        alice.groups.set(groups[name] for name in meanwhile)
        saved(staff, alice, page, groups=[str(groups[name].pk) for name in chosen])
        assert {group.name for group in alice.groups.all()} == set(then)
        said = AuditEvent.objects.filter(event="user.rights_changed")
        assert said.exists() is (shown != chosen)

    def test_that_are_gone_meanwhile_are_no_fault_of_whoever_saves_something_else(self, staff: Client, alice: User):
        group = Group.objects.create(name="desk")
        alice.groups.add(group)
        page = opened(staff, alice)
        group.delete()
        page.sent.pop("is_active")
        assert not saved(staff, alice, page).is_active

    def test_that_a_page_says_nothing_of_are_as_it_wants_them(self, staff: Client, alice: User):
        """Sent by hand, or by a page from before this."""
        kept, taken = (Group.objects.create(name=name) for name in ("kept", "taken"))
        alice.groups.set([kept, taken])
        staff.post(reverse("admin:accounts_user_change", args=[alice.pk]), {"is_active": "on", "groups": kept.pk})
        assert list(alice.groups.all()) == [kept]


class TestRightsOfAGroup:
    def test_are_those_of_now_with_the_difference_that_the_page_made(self, staff: Client):
        one, two, three = Permission.objects.order_by("pk")[:3]
        group = Group.objects.create(name="desk")
        group.permissions.add(one)
        page = opened(staff, group)
        group.permissions.add(two)
        Group.objects.update(name="front desk")
        saved(staff, group, page, permissions=[str(one.pk), str(three.pk)])
        assert set(group.permissions.all()) == {one, two, three}
        assert group.name == "front desk"
