"""What an attempt loads from the database equals the rows, column by column."""

from datetime import timedelta

import pytest
from django.db.models import Model

from apps.connections import refreshing
from apps.connections.refreshing import loading
from apps.directory import reaching
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint

pytestmark = pytest.mark.django_db


def loaded_values(row: Model) -> dict[str, object]:
    names = [field.attname for field in row._meta.concrete_fields if field.attname in row.__dict__]
    return {name: getattr(row, name) for name in names}


def test_each_column_of_each_row_is_its_own(connection):
    ClientRegistration.objects.update(token_parameters="query", sends_state=False, sends_aud=True, runs_at_once=3)
    Endpoint.objects.update(dialect="smart")
    (loaded,) = loading.load([connection.pk])
    found = loaded.connection
    stored = found.stored_token_set
    server = found.registration.authorization_server
    for row in (found, stored, found.endpoint, found.registration, server):
        values = loaded_values(row)
        assert len(values) > 4
        assert values == {name: getattr(type(row)._default_manager.get(pk=row.pk), name) for name in values}


def test_what_a_registration_overrides_holds_for_a_refresh(connection, issued_at, stand_in):
    """Interface B's parameters travel in the body, unless this registration says otherwise."""
    Endpoint.objects.update(dialect="smart")
    ClientRegistration.objects.update(token_parameters="query")
    refreshing.usable_token(connection, at=issued_at + timedelta(hours=1))
    (request,) = stand_in.token_requests
    assert dict(request.query)["refresh_token"] == "refresh-canary-e391"
    assert ClientRegistration.objects.get().trouble == ""


def test_where_to_send_tokens_is_told_from_it_without_asking(connection, issued_at, django_assert_num_queries):
    """Only an endpoint at an origin that its registration was not made for costs a question."""
    (loaded,) = loading.load([connection.pk])
    with django_assert_num_queries(0):
        there = reaching.authorization_server(loaded.connection.endpoint, loaded.connection.registration)
    foreign = AuthorizationServer.objects.create(
        source="discovered",
        authorize_url="https://new.example/a",
        token_url="https://new.example/t",
        is_sandbox=True,
        found_at=issued_at,
    )
    Endpoint.objects.update(authorization_server=foreign)
    (loaded,) = loading.load([connection.pk])
    with django_assert_num_queries(1):
        found = reaching.authorization_server(loaded.connection.endpoint, loaded.connection.registration)
    assert found == there
