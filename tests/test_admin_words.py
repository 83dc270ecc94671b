"""What staff read in the admin has a Spanish: names of rows, columns, fields and filters, also of libraries."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.utils import flatten_fieldsets, label_for_field
from django.test import RequestFactory
from django.utils import translation

from apps.accounts.models import User

EVERY_ADMIN = sorted(admin.site._registry.values(), key=lambda one: one.opts.label)
# Written alike in both.
SAME = {"actor", "id", "ID", "provisional", "Software", "software"}


def words(one: Any, request: Any) -> Iterator[str]:
    """In the language of the moment."""
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
