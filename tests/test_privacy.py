"""Every column of ours is classified once, and what is secret, personal or about health is shown nowhere by accident.

A model says so in an inner class `Privacy`, by tuples of column names:

- `secret`: opens something (tokens, keys, hashes of them), sealed or not
- `health`: says something about somebody's health, sealed or not
- `personal`: says who somebody is
- `operational`: everything else; ids are operational, because they mean nothing outside our database
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db import models

CLASSES = ("secret", "health", "personal", "operational")
UNSHOWN = ("secret", "health")

# Columns of libraries' tables that hold what opens something, as far as these libraries bring an admin of their own.
SECRETS_OF_LIBRARIES = {
    "account.EmailConfirmation": ("key",),
    "mfa.Authenticator": ("data",),
}

OURS = [model for model in apps.get_models() if model.__module__.startswith("apps.")]
ADMINS = [(model, model_admin) for model, model_admin in admin.site._registry.items()]

CANARY = "CANARY-b71f"
CANARY_ID = UUID("ca9a5900-0000-4000-8000-00000000b71f")
CANARIES: dict[Any, object] = {
    models.BinaryField: CANARY.encode(),
    models.JSONField: {CANARY: [CANARY]},
    models.UUIDField: CANARY_ID,
    models.DateTimeField: datetime(1871, 7, 1, tzinfo=UTC),
    models.DateField: date(1871, 7, 1),
    models.IntegerField: 187107,
    models.BooleanField: True,
}
NO_CANARY = UUID(int=0)  # for ids that may be shown: one drawn at random holds the digits of a canary once in a while
PRINTED = (CANARY, str(CANARY_ID), CANARY_ID.hex, "1871", "187107")


def label(value: object) -> str:
    return value._meta.label if isinstance(value, type) and issubclass(value, models.Model) else ""


def classified(model: type[models.Model], *classes: str) -> list[str]:
    privacy = getattr(model, "Privacy", None)
    return [name for kind in classes for name in getattr(privacy, kind, ())]


def unshown(model: type[models.Model]) -> set[str]:
    return {*classified(model, *UNSHOWN), *SECRETS_OF_LIBRARIES.get(model._meta.label, ())}


def canary_for(field: Any) -> object:
    return next((canary for kind, canary in CANARIES.items() if isinstance(field, kind)), CANARY)


class TestModel:
    def test_is_found_at_all(self):
        assert {"vault", "audit", "accounts", "directory", "connections", "records", "sharing"} <= {
            model._meta.app_label for model in OURS
        }

    @pytest.mark.parametrize("model", OURS, ids=label)
    def test_classifies_every_column_once(self, model):
        columns = sorted(field.name for field in model._meta.concrete_fields)
        assert sorted(classified(model, *CLASSES)) == columns

    @pytest.mark.parametrize("model", OURS, ids=label)
    def test_knows_no_other_class(self, model):
        assert {name for name in vars(model.Privacy) if not name.startswith("_")} <= set(CLASSES)

    @pytest.mark.parametrize("model", OURS, ids=label)
    def test_classifies_what_is_sealed_as_secret_health_or_personal(self, model):
        sealed = {field.name for field in model._meta.concrete_fields if isinstance(field, models.BinaryField)}
        assert sealed <= set(classified(model, "secret", "health", "personal"))

    @pytest.mark.parametrize("model", OURS, ids=label)
    def test_prints_nothing_secret_personal_or_about_health(self, model):
        kept = classified(model, "secret", "health", "personal")
        row = model(
            **{
                field.attname: canary_for(field) if field.name in kept else NO_CANARY
                for field in model._meta.concrete_fields
                if field.name in kept or isinstance(field, models.UUIDField)
            }
        )
        shown = f"{row} {row!r}"
        assert not [canary for canary in PRINTED if canary in shown]


@pytest.fixture
def superuser(rf, db):
    request = rf.get("/admin/")
    request.user = get_user_model()(is_staff=True, is_superuser=True, is_active=True)
    return request


def names_in(options: Iterable[Any]) -> set[str]:
    """The columns that an admin's option names, through groups and without prefixes of searches."""
    found: set[str] = set()
    for option in options:
        if isinstance(option, str):
            found.add(option.lstrip("^=@-"))
        elif isinstance(option, list | tuple):
            found |= names_in(option)
    return found


def columns_reached(model: type[models.Model], name: str) -> list[tuple[type[models.Model], str]]:
    """Each column on the way of `user__email__iexact`, with the model it belongs to."""
    reached: list[tuple[type[models.Model], str]] = []
    for step in name.split("__"):
        reached.append((model, step))
        field = next((field for field in model._meta.get_fields() if field.name == step), None)
        related = getattr(field, "related_model", None)
        if not isinstance(related, type):
            break
        model = related
    return reached


class TestAdmin:
    def test_is_found_at_all(self):
        assert "audit.AuditEvent" in {model._meta.label for model, _ in ADMINS}

    @pytest.mark.parametrize(("model", "model_admin"), ADMINS, ids=label)
    def test_shows_nothing_secret_or_about_health(self, model, model_admin, superuser):
        shown = names_in(self.options(model_admin, superuser))
        assert not [
            f"{owner._meta.label}.{column}"
            for name in shown
            for owner, column in columns_reached(model, name)
            if column in unshown(owner)
        ]

    @pytest.mark.parametrize(("model", "model_admin"), ADMINS, ids=label)
    def test_is_asked_for_nothing_secret_or_about_health(self, model, model_admin, superuser):
        """An address that asks for a column letter by letter reads it, though no page shows it."""
        columns = [(name, name) for name in unshown(model)]
        columns += [
            (f"{field.name}__{name}", name)
            for field in model._meta.get_fields()
            if isinstance(field.related_model, type)
            for name in unshown(field.related_model)
        ]
        asked = [f"{path}{how}" for path, _name in columns for how in ("", "__startswith", "__gt", "__isnull")]
        assert not [lookup for lookup in asked if model_admin.lookup_allowed(lookup, "a", superuser)]

    @staticmethod
    def options(model_admin: Any, request: Any) -> Iterable[Any]:
        """Everything that a list, a search, a filter or a form of this admin names, as a superuser gets it."""
        yield model_admin.get_list_display(request)
        yield model_admin.get_search_fields(request)
        yield model_admin.get_readonly_fields(request)
        yield model_admin.get_ordering(request)
        yield from (
            names if isinstance(names, list | tuple) else [names] for names in model_admin.get_list_filter(request)
        )
        for obj in (None, model_admin.model()):
            if obj is None and not model_admin.has_add_permission(request):
                continue
            yield model_admin.get_fields(request, obj)
            yield from (options["fields"] for _, options in model_admin.get_fieldsets(request, obj))
            yield list(model_admin.get_form(request, obj, change=obj is not None).base_fields)
        for inline in model_admin.get_inline_instances(request):
            inner = [*inline.get_fields(request), *inline.get_readonly_fields(request)]
            assert not {name for name in inner if isinstance(name, str)} & unshown(inline.model)
