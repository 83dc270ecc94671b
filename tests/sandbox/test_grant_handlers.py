"""The control addresses for grants: which are valid, issuing some without pages, switches of one application."""

import hashlib
import json

import pytest

from apps.sandbox import clock, scenarios
from apps.sandbox.models import SmartApplication, Tenant
from tests.sandbox.smart.literal import FORM, WILLOW, token_address

pytestmark = pytest.mark.django_db

TWO_DAYS = 48 * 3600


@pytest.fixture
def handed_out(control, application, ada):
    """Three grants of interface A."""
    status, data = control("POST", "grants", {"client_id": "app", "username": "ada", "number": 3})
    assert status == 201
    return data["grants"]


@pytest.fixture
def handed_out_below_a_tenant(control, ada):
    """One grant of interface B."""
    Tenant.objects.create(id=WILLOW, name="Willow Creek")
    SmartApplication.objects.create(
        name="Phone", client_id="phone", versions=["r4"], enabled_tenants=[WILLOW], requested_at=clock.now()
    )
    ada.tenant_patients = {WILLOW: {"r4": ["r-ada"]}}
    ada.save()
    status, data = control("POST", "grants", {"client_id": "phone", "username": "ada", "tenant": WILLOW})
    assert status == 201
    return data["grants"][0]


def fingerprint(token):
    return hashlib.sha256(token.encode()).hexdigest()[:8]


class TestGrantsWithoutPages:
    def test_are_as_good_as_others(self, handed_out, access, ask_token):
        assert len({row["grant"] for row in handed_out}) == len({row["refresh_token"] for row in handed_out}) == 3
        for row in handed_out:
            assert access(row["access_token"]).patient_ids == ("r-ada", "r-son")
            refreshed = ask_token(grant_type="refresh_token", refresh_token=row["refresh_token"])
            assert refreshed.status_code == 200
            assert access(refreshed.json()["access_token"]).patient_ids == ("r-ada", "r-son")

    def test_of_a_tenant_are_as_good_as_others(self, handed_out_below_a_tenant, client):
        row = handed_out_below_a_tenant
        assert (row["grant"][:2], row["patient"], row["expires_in"]) == ("b-", "r-ada", 570)
        body = f"grant_type=refresh_token&refresh_token={row['refresh_token']}".encode()
        answer = client.generic("POST", token_address(), body, content_type=FORM)
        assert answer.status_code == 200
        root = f"/b/myrecord/r4/{WILLOW}/Patient/nobody"
        assert client.get(root, headers={"Authorization": f"Bearer {answer.json()['access_token']}"}).status_code != 401

    @pytest.mark.parametrize(
        "wrong",
        [
            *({"client_id": "nobody"}, {"username": "nobody"}, {"number": 0}, {"number": 5001}, {"version": "r5"}),
            *({"tenant": "elsewhere"}, {"number": "3"}, {"more": 1}),
        ],
    )
    def test_are_of_those_there_are(self, control, application, ada, wrong):
        assert control("POST", "grants", {"client_id": "app", "username": "ada", **wrong})[0] == 400


class TestWhatHolds:
    def rows(self, control, query=""):
        status, data = control("GET", f"grants?client_id=app{query}")
        assert status == 200
        return {row["grant"]: row for row in data["grants"]}

    @pytest.mark.conformance("X71")
    def test_is_told_by_fingerprint_and_never_by_token(self, control, handed_out, ask_token):
        first = handed_out[0]
        rows = self.rows(control)
        assert {name: row["live"] for name, row in rows.items()} == {
            row["grant"]: [fingerprint(row["refresh_token"])] for row in handed_out
        }
        scenarios.choose("rotation", "on")
        second = ask_token(grant_type="refresh_token", refresh_token=first["refresh_token"]).json()["refresh_token"]
        row = self.rows(control)[first["grant"]]
        assert (row["live"], row["calls"], row["answered"]) == ([fingerprint(second)], 1, 1)
        assert second not in json.dumps(rows)

    def test_is_the_old_token_too_while_it_can_be_repeated(self, control, handed_out, ask_token):
        scenarios.play("rotating-with-grace")
        first = handed_out[0]
        second = ask_token(grant_type="refresh_token", refresh_token=first["refresh_token"]).json()["refresh_token"]
        both = [fingerprint(first["refresh_token"]), fingerprint(second)]
        clock.move(119)
        assert self.rows(control)[first["grant"]]["live"] == both
        assert ask_token(grant_type="refresh_token", refresh_token=first["refresh_token"]).status_code == 200
        clock.move(2)
        assert fingerprint(first["refresh_token"]) not in self.rows(control)[first["grant"]]["live"]
        assert ask_token(grant_type="refresh_token", refresh_token=first["refresh_token"]).status_code == 400

    def test_is_nothing_after_the_window_or_an_end(self, control, handed_out):
        control("POST", "grants/end", {"client_id": "app"})
        rows = self.rows(control).values()
        assert {row["end_reason"] for row in rows} == {"ended over the control address"}
        assert [row["live"] for row in rows] == [[], [], []]

    def test_is_nothing_after_the_window(self, control, handed_out):
        clock.move(TWO_DAYS - 5)
        assert all(row["live"] for row in self.rows(control).values())
        clock.move(6)
        assert not any(row["live"] for row in self.rows(control).values())

    def test_is_nothing_after_three_idle_months(self, control, handed_out_below_a_tenant):
        def live():
            return control("GET", "grants?client_id=phone")[1]["grants"][0]["live"]

        assert live() == [fingerprint(handed_out_below_a_tenant["refresh_token"])]
        clock.move(93 * 86_400)
        assert live() == []

    def test_comes_with_times_where_they_are_wanted(self, control, handed_out, ask_token):
        first = handed_out[0]
        ask_token(grant_type="refresh_token", refresh_token=first["refresh_token"])
        assert "times" not in self.rows(control)[first["grant"]]
        assert len(self.rows(control, "&times=1")[first["grant"]]["times"]) == 1

    def test_is_asked_for_by_application(self, control):
        assert control("GET", "grants")[0] == 400


class TestSwitchesOfOneApplication:
    @pytest.mark.conformance("X13")
    def test_are_its_own_alone(self, control, install, application, ada, ask_token):
        install("other")
        status, data = control("POST", "applications/switches", {"client_id": "other", "rotation": "on"})
        assert (status, data) == (200, {"client_id": "other", "switches": {"rotation": "on"}})
        for client_id, rotates in (("app", False), ("other", True)):
            grants = control("POST", "grants", {"client_id": client_id, "username": "ada"})[1]["grants"]
            answer = ask_token(
                client_id=client_id, grant_type="refresh_token", refresh_token=grants[0]["refresh_token"]
            )
            assert ("refresh_token" in answer.json()) is rotates

    def test_win_over_those_of_all_and_go_with_them(self, control):
        control("POST", "applications/switches", {"client_id": "app", "rotation": "off"})
        scenarios.choose("rotation", "on")
        assert (scenarios.chosen("rotation", client_id="app"), scenarios.chosen("rotation")) == ("off", "on")
        scenarios.reset()
        assert scenarios.own("app") == {}

    @pytest.mark.parametrize("wrong", [{"rotation": "perhaps"}, {"pkce": "required"}, {"rotation": None}])
    def test_change_nothing_when_one_is_wrong(self, control, wrong):
        body = {"client_id": "app", "rotation_grace": "120", **wrong}
        assert control("POST", "applications/switches", body)[0] == 400
        assert scenarios.own("app") == {}
