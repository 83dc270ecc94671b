"""The developer portal: from a request to credentials that work, and what disables them again."""

import pytest
from django.contrib.auth.models import User

from apps.sandbox import clock
from apps.sandbox.models import Application, ApplicationStatus
from apps.sandbox.models.decided import MoveRefused
from apps.sandbox.portal import registering

pytestmark = pytest.mark.django_db
ASKED = {"name": "Holdfast", "redirect_uris": "https://app.example/back/7Q\nhttp://127.0.0.1:8000/back"}
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def requested(developer):
    developer.post("/portal/request", ASKED)
    return Application.objects.get()


@pytest.fixture
def provisional(developer, requested):
    """An application whose developer has taken its credentials; the secret is on the row as `told`."""
    page = developer.post(f"/portal/{requested.pk}/credentials", follow=True)
    requested.refresh_from_db()
    requested.told = page.context["secret"]
    return requested


@pytest.fixture
def staff(client):
    client.force_login(User.objects.create_superuser("admin", password="admin"))
    return client


@pytest.fixture
def sign_in_page(client):
    """What a browser sees that was sent to sign in for an application."""

    def sign_in_page(application, version="r4"):
        return client.get(
            f"/a/{version}/auth/authorize?response_type=code&client_id={application.client_id}"
            "&redirect_uri=https%3A%2F%2Fapp.example%2Fback%2F7Q&state=s-1"
        )

    return sign_in_page


@pytest.fixture
def token_error(client):
    """The error of a token request with an unknown refresh token: invalid_grant is said to who is let in."""

    def token_error(application, secret, version="r4"):
        address = (
            f"/a/{version}/auth/token?grant_type=refresh_token&refresh_token=none"
            f"&client_id={application.client_id}&client_secret={secret}"
        )
        return client.generic("POST", address, CONTENT_TYPE=FORM).json()["error"]

    return token_error


def approve(client, application, decision="approve"):
    return client.post("/approvals/", {"kind": "application", "id": application.pk, "decision": decision})


def act(staff, action, application):
    chosen = {"action": action, "_selected_action": [application.pk]}
    return staff.post("/admin/sandbox/application/", chosen, follow=True)


class TestRequest:
    @pytest.mark.conformance("X3")
    def test_is_filed_without_credentials(self, requested):
        assert requested.status == "requested"
        assert requested.client_id is None
        assert requested.redirect_uris == ["https://app.example/back/7Q", "http://127.0.0.1:8000/back"]
        assert requested.developer.email == "dev@app.example"

    @pytest.mark.parametrize(
        ("name", "uris"),
        [
            ("", "https://app.example/back"),
            ("\0", "https://app.example/back"),
            ("A" * 121, "https://app.example/back"),
            ("App", ""),
            ("App", "http://app.example/back"),
            ("App", "/back"),
            ("App", "https://app.example/back#part"),
            ("App", "https://app.example/back?from=here"),
            ("App", "https://app.example/back?"),
            ("App", "https://name:password@app.example/back"),
            ("App", "https://app.example:port/back"),
            ("App", "https://[::1/back"),
            ("App", "javascript:alert(1)"),
            ("App", "https://app.example/\0"),
            ("App", " ".join(f"https://app.example/{n}" for n in range(21))),
        ],
    )
    def test_is_refused_in_words(self, developer, name, uris):
        response = developer.post("/portal/request", {"name": name, "redirect_uris": uris})
        assert response.status_code == 200
        assert b'role="alert"' in response.content
        assert not Application.objects.exists()

    def test_keeps_what_was_written_when_it_is_refused(self, developer):
        page = developer.post("/portal/request", {"name": "My <app>", "redirect_uris": "/back"}).content
        assert b'value="My &lt;app&gt;"' in page
        assert b'href="#id_redirect_uris"' in page

    def test_of_a_megabyte_is_not_read(self, developer):
        assert developer.post("/portal/request", {**ASKED, "name": "n" * 1_000_001}).status_code == 400
        assert developer.post("/portal/request", {**ASKED, "name": "n" * 900_000}).status_code == 200
        assert not Application.objects.exists()

    def test_counts_the_last_of_fields_that_come_twice(self, developer):
        developer.generic("POST", "/portal/request", "name=One&name=Two&redirect_uris=https://a.example/b", FORM)
        assert Application.objects.get().name == "Two"


class TestCredentials:
    @pytest.mark.conformance("X3")
    def test_are_provisional_until_an_administrator_approves(self, client, provisional, sign_in_page, token_error):
        registering.add_version(provisional, "r4")
        assert provisional.status == "provisional"
        refused = sign_in_page(provisional)
        assert (refused.status_code, "Location" in refused) == (400, False)
        assert b"not active" in refused.content
        assert token_error(provisional, provisional.told) == "invalid_client"
        approve(client, provisional)
        assert sign_in_page(provisional).status_code == 200
        assert token_error(provisional, provisional.told) == "invalid_grant"

    @pytest.mark.conformance("X3")
    @pytest.mark.parametrize("how", ["rejected", "retired"])
    def test_end_with_their_application(self, client, developer, provisional, sign_in_page, token_error, how):
        registering.add_version(provisional, "r4")
        if how == "rejected":
            approve(client, provisional, "reject")
        else:
            approve(client, provisional)
            assert token_error(provisional, provisional.told) == "invalid_grant"
            developer.post(f"/portal/{provisional.pk}/retire")
        provisional.refresh_from_db()
        assert provisional.status == how
        assert sign_in_page(provisional).status_code == 400
        assert token_error(provisional, provisional.told) == "invalid_client"
        assert approve(client, provisional).status_code == 302
        assert token_error(provisional, provisional.told) == "invalid_client"
        before = Application.objects.values().get()
        for page, words in (
            ("credentials", b"has ended"),
            ("retire", b"has already ended"),
            ("versions", b"has ended"),
        ):
            told = developer.post(f"/portal/{provisional.pk}/{page}", {"version": "dstu2"}, follow=True)
            assert words in told.content
        assert Application.objects.values().get() == before

    @pytest.mark.conformance("X62")
    def test_renewed_make_the_old_secret_fail_at_once(self, client, developer, provisional, token_error):
        registering.add_version(provisional, "r4")
        approve(client, provisional)
        assert token_error(provisional, provisional.told) == "invalid_grant"
        renewed = developer.post(f"/portal/{provisional.pk}/credentials", follow=True).context["secret"]
        assert token_error(provisional, provisional.told) == "invalid_client"
        assert token_error(provisional, renewed) == "invalid_grant"

    def test_show_the_secret_once_and_keep_a_digest(self, developer, requested):
        page = developer.post(f"/portal/{requested.pk}/credentials", follow=True)
        secret = page.context["secret"]
        assert secret.encode() in page.content
        assert secret.encode() not in developer.get(f"/portal/{requested.pk}/").content
        requested.refresh_from_db()
        assert secret not in str(vars(requested))

    def test_have_no_way_past_the_table_of_moves(self, requested):
        with pytest.raises(MoveRefused):
            registering.approve(requested, at=clock.now())
        registering.retire(requested, at=clock.now())
        for status in ApplicationStatus:
            with pytest.raises(MoveRefused):
                requested.move(status, at=clock.now())


class TestAVersion:
    @pytest.mark.conformance("X4")
    @pytest.mark.parametrize(("added", "other"), [("r4", "dstu2"), ("dstu2", "r4")])
    def test_that_was_not_added_is_refused(
        self, client, developer, provisional, sign_in_page, token_error, added, other
    ):
        approve(client, provisional)
        developer.post(f"/portal/{provisional.pk}/versions", {"version": added})
        assert sign_in_page(provisional, added).status_code == 200
        assert token_error(provisional, provisional.told, added) == "invalid_grant"
        assert "error=unauthorized_client" in sign_in_page(provisional, other)["Location"]
        assert token_error(provisional, provisional.told, other) == "unauthorized_client"
        developer.post(f"/portal/{provisional.pk}/versions", {"version": other})
        assert sign_in_page(provisional, other).status_code == 200
        assert token_error(provisional, provisional.told, other) == "invalid_grant"

    @pytest.mark.parametrize("version", ["stu3", "", "\0", "R4"])
    def test_that_does_not_exist_is_refused(self, developer, requested, version):
        told = developer.post(f"/portal/{requested.pk}/versions", {"version": version}, follow=True)
        assert b"There are two versions" in told.content
        assert Application.objects.get().versions == []


class TestAddresses:
    def test_can_be_changed_and_count_at_once(self, client, developer, provisional, sign_in_page):
        registering.add_version(provisional, "r4")
        approve(client, provisional)
        changed = {"redirect_uris": "https://app.example/elsewhere"}
        page = developer.post(f"/portal/{provisional.pk}/addresses", changed, follow=True)
        assert b"https://app.example/elsewhere" in page.content
        assert sign_in_page(provisional).status_code == 400

    @pytest.mark.parametrize("uris", ["", "https://app.example/back?a=b", "http://app.example/back"])
    def test_keep_to_the_rule_of_the_portal(self, developer, requested, uris):
        page = developer.post(f"/portal/{requested.pk}/addresses", {"redirect_uris": uris})
        assert b'role="alert"' in page.content
        requested.refresh_from_db()
        assert requested.redirect_uris[0] == "https://app.example/back/7Q"

    def test_of_an_application_that_is_over_stay(self, developer, requested):
        developer.post(f"/portal/{requested.pk}/retire")
        page = developer.post(f"/portal/{requested.pk}/addresses", {"redirect_uris": "https://app.example/new"})
        assert b"has ended" in page.content


class TestAStranger:
    @pytest.mark.parametrize(
        ("method", "page"),
        [
            ("get", ""),
            ("get", "addresses"),
            ("post", "addresses"),
            ("post", "credentials"),
            ("post", "versions"),
            ("post", "retire"),
        ],
    )
    def test_finds_nothing(self, stranger, provisional, method, page):
        before = Application.objects.values().get()
        body = {"version": "r4", "redirect_uris": "https://evil.example/back"}
        assert getattr(stranger, method)(f"/portal/{provisional.pk}/{page}", body).status_code == 404
        assert Application.objects.values().get() == before

    def test_sees_a_list_without_it(self, stranger, developer, provisional):
        assert b"Holdfast" in developer.get("/portal/").content
        assert b"Holdfast" not in stranger.get("/portal/").content

    @pytest.mark.parametrize("number", ["0", "99999999999999999999999999"])
    def test_guesses_no_number(self, stranger, provisional, number):
        assert stranger.get(f"/portal/{number}/").status_code == 404


class TestStaff:
    def test_approve_and_retire(self, staff, provisional):
        for action, status in (("approve", "approved"), ("retire", "retired")):
            act(staff, action, provisional)
            provisional.refresh_from_db()
            assert provisional.status == status

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
