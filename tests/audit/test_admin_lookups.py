"""Staff pages asked for a value that no column can hold, by URL or form, answer with a page of ours."""

import pytest
from axes.models import AccessAttempt
from django.contrib import admin
from django.contrib.auth.models import Group
from django.test import Client, RequestFactory
from django.urls import reverse

from apps.audit.models import AuditEvent
from tests.fixtures.cast import gave_password

pytestmark = pytest.mark.django_db

UNREADABLE = "We could not read what your browser sent"
PAGES = dict(admin.site._registry)


@pytest.fixture
def asked(staff):
    """The status of what a list of the admin answers, and whether that is our own page."""

    def ask(model, query="", **form):
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        answer = staff.post(address, form) if form else staff.get(address, QUERY_STRING=query)
        return answer.status_code, UNREADABLE in answer.content.decode()

    return ask


class TestAList:
    @pytest.mark.parametrize("model", PAGES, ids=lambda model: model.__name__)
    def test_is_not_asked_for_text_that_none_can_be(self, asked, model, stella):
        request = RequestFactory().get("/")
        request.user = stella
        offered = (getattr(one, "parameter_name", "q") for one in PAGES[model].get_list_filter(request))
        for name in ["q", "pk", *offered]:
            assert asked(model, f"{name}=a%00b") == (400, True), name

    def test_is_not_asked_for_an_address_that_is_none(self, asked):
        assert asked(AccessAttempt, "ip_address=x") == (400, True)
        assert asked(AccessAttempt, "ip_address=192.0.2.1") == (200, False)

    @pytest.mark.parametrize("query", ["pk=x", "pk__in=1,x", "at__gte=2026-13-45", "at__gte=x", f"pk={'9' * 5000}"])
    def test_is_not_asked_for_a_value_of_another_kind(self, asked, query):
        assert asked(AuditEvent, query) == (400, True)

    @pytest.mark.parametrize(
        "query", ["pk=7", "pk__in=1,2", "at__gte=2026-11-20%2000:00%2B00:00", f"pk={'9' * 30}", "user_id__isnull=1"]
    )
    def test_is_asked_for_what_can_be(self, asked, query):
        assert asked(AuditEvent, query) == (200, False)


class TestATickedRow:
    @pytest.mark.parametrize("model", PAGES, ids=lambda model: model.__name__)
    @pytest.mark.parametrize("ticked", ["x", "a\0b", "9" * 5000, ""])
    def test_has_an_id_that_can_be_one(self, asked, stella, model, ticked):
        request = RequestFactory().get("/")
        request.user = stella
        for action in PAGES[model].get_actions(request):
            assert asked(model, action=action, _selected_action=ticked, confirmed="yes") == (400, True), action

    def test_that_is_not_there_any_more_is_passed_over(self, asked):
        assert asked(Group, action="delete_selected", _selected_action="7", post="yes") == (302, False)


class TestAFormOfARow:
    @pytest.mark.parametrize("name", ["authorization_server", "portals-0-provider"])
    @pytest.mark.parametrize("typed", ["x", "a\0b", "9" * 30])
    def test_takes_no_id_that_is_none_for_what_is_chosen_by_typing(self, staff, name, typed):
        inline = {"portals-TOTAL_FORMS": "1", "portals-INITIAL_FORMS": "0", "portals-0-provider": ""}
        answer = staff.post("/admin/directory/endpoint/add/", {"authorization_server": "", **inline, name: typed})
        assert (answer.status_code, UNREADABLE in answer.content.decode()) == (400, True)

    def test_says_itself_that_a_row_is_not_there_or_not_chosen(self, staff):
        for chosen in ("", "00000000-0000-0000-0000-000000000000"):
            inline = {"portals-TOTAL_FORMS": "1", "portals-INITIAL_FORMS": "0", "portals-0-provider": chosen}
            answer = staff.post("/admin/directory/endpoint/add/", {"authorization_server": chosen, **inline})
            assert answer.status_code == 200


class TestWhatIsChosenByTyping:
    @pytest.mark.parametrize(
        ("model", "column"),
        [
            ("clientregistration", "system_account"),
            ("endpoint", "authorization_server"),
            ("enablement", "registration"),
            ("enablement", "endpoint"),
            ("providerportal", "provider"),
        ],
    )
    def test_is_looked_for_by_text_that_can_be_one(self, staff, model, column):
        asked = {"app_label": "directory", "model_name": model, "field_name": column}
        assert staff.get("/admin/autocomplete/", {**asked, "term": "Harbor"}).status_code == 200
        assert staff.get("/admin/autocomplete/", {**asked, "term": "a\0b"}).status_code == 400


class TestAnybodyElse:
    def test_learns_nothing_by_asking(self, client: Client, sam):
        client.force_login(sam, backend="allauth.account.auth_backends.AuthenticationBackend")
        gave_password(client, sam)
        assert client.get(reverse("admin:axes_accessattempt_changelist"), {"ip_address": "x"}).status_code == 302
