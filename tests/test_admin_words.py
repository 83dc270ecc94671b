"""Everything that staff read in the admin has a Spanish translation: models, columns, fields, filters, also of
libraries."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.utils import flatten_fieldsets, label_for_field
from django.test import RequestFactory
from django.utils import translation

from apps.accounts.models import User
from development.translating import finding
from tests.test_translations import CATALOG

EVERY_ADMIN = sorted(admin.site._registry.values(), key=lambda one: one.opts.label)
# Written alike in both.
SAME = {"actor", "id", "ID", "provisional", "Software", "software"}
# Where "link" is a person's lasting link to an endpoint, and never an address that somebody clicks.
OF_STAFF = (
    "apps/connections/admin", "apps/connections/link_health", "apps/connections/trials", "apps/directory",
    "apps/portal/desk",
)  # fmt: skip
TEMPLATES_OF_STAFF = ("templates/admin", "templates/portal/desk")


def words(one: Any, request: Any) -> Iterator[str]:
    """In the language of the moment."""
    yield str(one.opts.app_config.verbose_name)
    yield str(one.opts.verbose_name)
    yield str(one.opts.verbose_name_plural)
    form = one.get_form(request, one.model(), change=True)
    fields = flatten_fieldsets(one.get_fieldsets(request, one.model()))
    for name in (*one.get_list_display(request), *fields):
        shown = form.base_fields.get(name)
        yield str(shown.label if shown else label_for_field(name, one.model, one))
    for question in one.get_list_filter(request):
        if not isinstance(question, str | tuple):
            yield str(question.title)


class TestTheWordsOfAnAdmin:
    @pytest.mark.parametrize("one", EVERY_ADMIN, ids=lambda one: str(one.opts.label))
    def test_are_others_in_spanish(self, rf: RequestFactory, one: Any):
        request: Any = rf.get("/")
        request.user = User(is_staff=True, is_superuser=True)
        with translation.override("en"):
            english = list(words(one, request))
        with translation.override("es"):
            spanish = list(words(one, request))
        assert {name for name, said in zip(english, spanish, strict=True) if name == said} <= SAME


class TestALink:
    def test_is_a_conexion_to_staff_as_it_is_to_patients(self):
        sources = [path for folder in OF_STAFF for path in (finding.ROOT / folder).rglob("*.py")]
        found = {message for path in sources for message in finding.in_python(path.read_text())}
        pages = [path for folder in TEMPLATES_OF_STAFF for path in (finding.ROOT / folder).rglob("*.html")]
        found |= {message for path in pages for message in finding.in_template(path.read_text())}
        assert [text for message in found for text in CATALOG[message] if "enlace" in text.lower()] == []
