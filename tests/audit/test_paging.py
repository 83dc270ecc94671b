"""No list in the admin reads a whole table, to count it or for a filter: with millions of rows that takes minutes."""

import re

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.audit.models import AuditEvent
from apps.audit.paging import BoundedPaginator

pytestmark = pytest.mark.django_db

SMALL = {"auth.Group"}  # made by hand, one by one
LISTS = [model for model in admin.site._registry if model._meta.label not in SMALL]


def list_of(model) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def asked(staff: Client, model, query: dict[str, str]) -> list[str]:
    """What the list asks the database about its table."""
    with CaptureQueriesContext(connection) as captured:
        page = staff.get(list_of(model), query)
    assert page.status_code == 200
    return [row["sql"] for row in captured.captured_queries if model._meta.db_table in row["sql"]]


class TestAListOfTheAdmin:
    @pytest.mark.parametrize("model", LISTS, ids=lambda model: model._meta.label)
    @pytest.mark.parametrize("query", [{}, {"q": "harbor"}, {"_facets": "True"}], ids=["whole", "searched", "facets"])
    def test_counts_to_a_bound_and_reads_a_page(self, staff, model, query):
        statements = asked(staff, model, query)
        counts = [sql for sql in statements if sql.startswith("SELECT COUNT(")]
        assert counts
        assert [sql for sql in counts if f"LIMIT {BoundedPaginator.MOST_ROWS}" not in sql] == []
        lists_values = re.compile(r'SELECT DISTINCT [^,]+ FROM "')
        assert [sql for sql in statements if lists_values.match(sql)] == []

    def test_says_so_where_it_is_cut_off(self, staff, monkeypatch):
        staff.get(list_of(AuditEvent))
        monkeypatch.setattr(BoundedPaginator, "MOST_ROWS", AuditEvent.objects.count())
        page = staff.get(list_of(AuditEvent)).content.decode()
        assert "are shown. Search or filter to find the others." in page
        monkeypatch.setattr(BoundedPaginator, "MOST_ROWS", AuditEvent.objects.count() + 10)
        assert "Search or filter" not in staff.get(list_of(AuditEvent)).content.decode()
