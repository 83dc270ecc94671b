"""The developer portal and staff approval: from a request to credentials that work."""

import pytest
from django.contrib.auth.models import User

from apps.sandbox.models import Application, ApplicationStatus
from apps.sandbox.models.application import MoveRefused
from apps.sandbox.portal import registering

pytestmark = pytest.mark.django_db
ASKED = {"name": "Holdfast", "redirect_uris": "https://app.example/back/7Q\nhttp://127.0.0.1:8000/back"}


@pytest.fixture
def requested(client):
    client.post("/portal/request", ASKED)
    return Application.objects.get()


@pytest.fixture
def staff(client):
    client.force_login(User.objects.create_superuser("admin", password="admin"))
    return client


def act(staff, action, application):
    chosen = {"action": action, "_selected_action": [application.pk]}
    return staff.post("/admin/sandbox/application/", chosen, follow=True)


class TestRequest:
    def test_is_filed_without_credentials(self, requested):
        assert requested.status == "requested"
        assert requested.client_id is None
        assert requested.redirect_uris == ["https://app.example/back/7Q", "http://127.0.0.1:8000/back"]

    @pytest.mark.parametrize(
        ("name", "uris"),
        [
            ("", "https://app.example/back"),
            ("App", ""),
            ("App", "http://app.example/back"),
            ("App", "/back"),
            ("App", "https://app.example/back#part"),
            ("App", "javascript:alert(1)"),
        ],
    )
    def test_is_refused_in_words(self, client, name, uris):
        response = client.post("/portal/request", {"name": name, "redirect_uris": uris})
        assert b'role="alert"' in response.content
        assert not Application.objects.exists()


class TestCredentials:
    @pytest.mark.conformance("X3")
    def test_are_provisional_until_staff_approve(self, client, staff, requested):
        secret = client.post(f"/portal/{requested.pk}/credentials", follow=True).context["secret"]
        requested.refresh_from_db()
        assert requested.status == "provisional"
        address = (
            f"/a/r4/auth/token?grant_type=refresh_token&refresh_token=none"
            f"&client_id={requested.client_id}&client_secret={secret}"
        )
        form = {"CONTENT_TYPE": "application/x-www-form-urlencoded"}
        assert client.generic("POST", address, **form).json()["error"] == "invalid_client"
        act(staff, "approve", requested)
        assert client.generic("POST", address, **form).json()["error"] == "unauthorized_client"
        client.post(f"/portal/{requested.pk}/versions", {"version": "r4"})
        assert client.generic("POST", address, **form).json()["error"] == "invalid_grant"
        act(staff, "retire", requested)
        assert client.generic("POST", address, **form).json()["error"] == "invalid_client"

    def test_show_the_secret_once_and_keep_a_digest(self, client, requested):
        page = client.post(f"/portal/{requested.pk}/credentials", follow=True)
        secret = page.context["secret"]
        assert secret.encode() in page.content
        assert secret.encode() not in client.get(f"/portal/{requested.pk}/").content
        requested.refresh_from_db()
        assert secret not in str(vars(requested))

    def test_can_be_renewed_and_the_old_secret_stops_working(self, client, application, exchange, allowed_code):
        client.post(f"/portal/{application.pk}/credentials")
        assert exchange(code=allowed_code()).status_code == 401

    def test_have_no_way_past_the_table_of_moves(self, requested):
        with pytest.raises(MoveRefused):
            registering.approve(requested)
        registering.retire(requested)
        for status in ApplicationStatus:
            with pytest.raises(MoveRefused):
                requested.move(status)


class TestStaff:
    def test_add_versions(self, staff, requested):
        act(staff, "add_r4", requested)
        act(staff, "add_dstu2", requested)
        requested.refresh_from_db()
        assert requested.versions == ["dstu2", "r4"]

    def test_are_told_when_a_request_cannot_be_approved(self, staff, requested):
        assert b"from requested to approved" in act(staff, "approve", requested).content

    def test_see_no_secret(self, staff, application):
        page = staff.get(f"/admin/sandbox/application/{application.pk}/change/").content
        assert application.client_id.encode() in page
        assert application.secret_sha256.encode() not in page

    def test_end_grants(self, staff, exchange, ask_token):
        refresh_token = exchange().json()["refresh_token"]
        grant = staff.get("/admin/sandbox/grant/").context["cl"].queryset.get()
        staff.post("/admin/sandbox/grant/", {"action": "end", "_selected_action": [grant.pk]})
        assert ask_token(grant_type="refresh_token", refresh_token=refresh_token).json()["error"] == "invalid_grant"

    def test_are_staff(self, client, application):
        assert client.get("/admin/sandbox/application/").status_code == 302


class TestPages:
    def test_list_and_show_applications(self, client, application):
        assert b"app" in client.get("/portal/").content
        assert b"https://app.example/back/7Q" in client.get(f"/portal/{application.pk}/").content

    def test_refuse_an_unknown_version(self, client, application):
        assert client.post(f"/portal/{application.pk}/versions", {"version": "stu3"}).status_code == 400
