"""The control API: every lever over JSON, for this machine only."""

import pytest

from apps.sandbox import clock, faults, recorder, scenarios
from apps.sandbox.bearer import Unauthorized
from apps.sandbox.models import Account, Application, Grant

pytestmark = pytest.mark.django_db


class TestDoor:
    @pytest.mark.conformance("X72")
    @pytest.mark.parametrize("address", ["10.0.0.7", "203.0.113.9", "", "::ffff:10.0.0.7", "nonsense"])
    def test_is_closed_to_other_machines(self, client, address):
        for path in ("", "state", "requests", "applications", "accounts"):
            assert client.get(f"/control/{path}", REMOTE_ADDR=address).status_code == 403
        assert client.post("/control/pull", {"lever": "reset"}, REMOTE_ADDR=address).status_code == 403
        assert (
            client.post("/control/reset", {}, content_type="application/json", REMOTE_ADDR=address).status_code == 403
        )

    @pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1"])
    def test_is_open_to_this_one(self, client, address):
        assert client.get("/control/state", REMOTE_ADDR=address).status_code == 200

    @pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded"])
    def test_takes_json_alone_so_that_a_web_page_cannot_knock(self, client, content_type):
        response = client.generic("POST", "/control/clock", b'{"move_seconds": 1}', content_type=content_type)
        assert response.status_code == 415
        assert clock.offset().total_seconds() == 0

    @pytest.mark.parametrize("body", [b"{", b"[]", b'"x"', b"\xff"])
    def test_says_what_is_wrong_with_a_body(self, client, body):
        response = client.generic("POST", "/control/clock", body, content_type="application/json")
        assert response.status_code == 400
        assert response.json()["error"].startswith("the body")

    def test_knows_its_methods(self, control, client):
        assert client.delete("/control/state").status_code == 405
        assert client.get("/control/reset")["Allow"] == "POST"


class TestClockLever:
    @pytest.mark.conformance("X71")
    def test_moves_sets_and_resets(self, control):
        assert control("POST", "clock", {"move_seconds": 172799})[1]["offset_seconds"] == 172799
        status, data = control("POST", "clock", {"set_to": "2031-01-01T00:00:00Z"})
        assert (status, data["now"][:15]) == (200, "2031-01-01T00:0")
        assert control("POST", "clock", {"reset": True})[1]["offset_seconds"] == 0
        assert control("GET", "clock")[1].keys() == {"now", "offset_seconds"}

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"move": 1},
            {"move_seconds": "1"},
            {"move_seconds": 1e12},
            {"set_to": "tomorrow"},
            {"set_to": "2031-01-01T00:00:00"},
            {"set_to": "9999-01-01T00:00:00Z"},
            {"move_seconds": 1, "reset": True},
        ],
    )
    def test_refuses_what_it_does_not_understand(self, control, body):
        assert control("POST", "clock", body)[0] == 400


class TestSwitchLever:
    @pytest.mark.conformance("X71")
    def test_chooses_and_returns_to_usual(self, control):
        assert control("POST", "switches", {"rotation": "on", "token_size": "16k"})[1]["rotation"]["value"] == "on"
        assert scenarios.chosen("token_size") == "16k"
        assert control("DELETE", "switches")[1]["rotation"]["value"] == "off"

    @pytest.mark.parametrize("body", [{"rotation": "perhaps"}, {"nothing": "on"}, {"rotation": None}, {"pkce": ["x"]}])
    def test_changes_nothing_when_one_is_wrong(self, control, body):
        assert control("POST", "switches", {"token_size": "16k", **body})[0] == 400
        assert scenarios.differing() == {}


class TestScenarioLever:
    @pytest.mark.parametrize("name", sorted(scenarios.SCENARIOS))
    def test_plays_every_scenario(self, control, name):
        assert control("POST", "scenarios", {"name": name})[0] == 200
        assert control("POST", "scenarios", {"name": "usual"})[1]["faults"] == []
        assert scenarios.differing() == {}

    def test_refuses_an_unknown_one(self, control):
        assert "no scenario" in control("POST", "scenarios", {"name": "calm"})[1]["error"]

    def test_lists_them(self, control):
        assert control("GET", "scenarios")[1]["rotating"] == {
            "explains": "Every refresh hands out a new refresh token."
        }


class TestFaultLever:
    def test_arms_and_disarms(self, control):
        status, armed = control("POST", "faults", {"route": "token", "kind": "throttled", "count": 3})
        assert status == 201
        assert armed == [
            {
                "route": "token",
                "kind": "throttled",
                "count": 3,
                "path": "",
                "after": 0,
                "seconds": 5.0,
                "retry_after": "2",
                "lasts_seconds": None,
                "armed_at": None,
            }
        ]
        control("POST", "faults", {"route": "data", "kind": "slow", "count": None, "seconds": 1})
        assert [fault["route"] for fault in control("DELETE", "faults?route=token")[1]] == ["data"]
        assert control("DELETE", "faults")[1] == []

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"route": "token"},
            {"route": "nowhere", "kind": "slow"},
            {"route": "token", "kind": "tired"},
            {"route": "token", "kind": "slow", "count": "3"},
            {"route": "token", "kind": "slow", "count": True},
            {"route": "token", "kind": "slow", "often": 3},
        ],
    )
    def test_refuses_what_it_does_not_understand(self, control, body):
        assert control("POST", "faults", body)[0] == 400
        assert faults.armed() == ()


class TestRecordedRequests:
    @pytest.mark.conformance("X71")
    def test_are_read_narrowed_and_forgotten(self, client, control):
        client.get("/a/r4/auth/authorize?client_id=x&state=%20y", headers={"X-Thing": "T"})
        client.generic(
            "POST", "/a/r4/auth/token?code=c", b"left=over", content_type="application/x-www-form-urlencoded"
        )
        first, second = control("GET", "requests")[1]["requests"]
        assert (first["method"], first["path"], first["query"]) == (
            "GET",
            "/a/r4/auth/authorize",
            "client_id=x&state=%20y",
        )
        assert first["headers"]["X-Thing"] == "T"
        assert first["status"] == 400
        assert second["body"] == "left=over"
        assert second["headers"]["Content-Type"] == "application/x-www-form-urlencoded"
        assert control("GET", f"requests?since={first['number']}")[1]["requests"] == [second]
        assert control("GET", "requests?path=token")[1]["requests"] == [second]
        assert control("GET", "requests?method=get")[1]["requests"] == [first]
        assert control("DELETE", "requests")[1] == {"requests": []}
        assert recorder.requests() == []

    def test_leave_the_sandboxs_own_pages_out(self, client, control):
        client.get("/portal/")
        assert control("GET", "requests")[1]["requests"] == []


class TestApplicationLever:
    def test_installs_an_approved_application(self, control, client):
        status, data = control(
            "POST", "applications", {"name": "A", "redirect_uris": ["https://a.example/b"], "versions": ["r4"]}
        )
        assert status == 201
        assert data["status"] == "approved"
        address = (
            "/a/r4/auth/token?grant_type=refresh_token&refresh_token=x"
            f"&client_id={data['client_id']}&client_secret={data['client_secret']}"
        )
        answer = client.generic("POST", address, CONTENT_TYPE="application/x-www-form-urlencoded").json()
        assert answer["error"] == "invalid_grant"

    def test_replaces_the_one_with_the_same_id(self, control):
        body = {"name": "A", "redirect_uris": ["https://a.example/b"], "client_id": "fixed", "client_secret": "s"}
        control("POST", "applications", body)
        control("POST", "applications", {**body, "name": "B", "versions": ["dstu2"], "status": "provisional"})
        assert control("GET", "applications")[1]["applications"] == [
            {
                "client_id": "fixed",
                "name": "B",
                "status": "provisional",
                "versions": ["dstu2"],
                "redirect_uris": ["https://a.example/b"],
            }
        ]

    @pytest.mark.parametrize(
        "body",
        [
            {"redirect_uris": []},
            {"redirect_uris": ["http://a.example/b"]},
            {"redirect_uris": [7]},
            {"redirect_uris": ["https://a.example/b"], "versions": ["stu3"]},
            {"redirect_uris": ["https://a.example/b"], "client_id": "alone"},
            {"redirect_uris": ["https://a.example/b"], "status": "famous"},
        ],
    )
    def test_refuses_what_the_portal_would_refuse(self, control, body):
        assert control("POST", "applications", {"name": "A", **body})[0] == 400
        assert not Application.objects.exists()


class TestAccountLever:
    def test_enrols(self, control):
        body = {"username": "g", "password": "p", "display_name": "G", "patients": {"r4": ["1"]}}
        expected = {**body, "patients": {"dstu2": [], "r4": ["1"]}, "practice": "", "about": "", "is_enrolled": True}
        assert control("POST", "accounts", body) == (201, expected)
        assert control("GET", "accounts")[1] == {"accounts": [expected]}

    @pytest.mark.parametrize(
        "body", [{}, {"username": "g", "password": "p", "patients": {}}, {"username": "g", "patients": {"stu3": ["1"]}}]
    )
    def test_refuses_what_opens_nothing(self, control, body):
        assert control("POST", "accounts", body)[0] == 400
        assert not Account.objects.exists()


class TestGrantLever:
    def test_ends_what_it_is_pointed_at(self, control, exchange, access):
        token = exchange().json()["access_token"]
        access(token)
        assert control("POST", "grants/end", {"username": "grace"})[1] == {"ended": 0}
        assert control("POST", "grants/end", {"client_id": "other"})[1] == {"ended": 0}
        access(token)
        assert control("POST", "grants/end", {"username": "ada", "client_id": "app"})[1] == {"ended": 1}
        with pytest.raises(Unauthorized):
            access(token)


class TestReset:
    @pytest.mark.conformance("X71")
    def test_goes_back_to_the_beginning_and_keeps_what_was_set_up(self, control, exchange, access, ada):
        token = exchange().json()["access_token"]
        clock.move(100)
        control("POST", "scenarios", {"name": "rotating-answer-lost"})
        status, data = control("POST", "reset")
        assert status == 200
        assert (data["clock"]["offset_seconds"], data["faults"], data["recorded"]) == (0, [], 0)
        assert scenarios.differing() == {}
        with pytest.raises(Unauthorized):
            access(token)
        assert not Grant.objects.exists()
        assert Account.objects.get() == ada
        assert Application.objects.count() == 1


class TestControlPage:
    def test_shows_switches_and_requests(self, client):
        client.get("/a/r4/auth/authorize?client_id=x&state=secret-state")
        page = client.get("/control/").content
        assert b"rotation_grace" in page
        assert b"/a/r4/auth/authorize" in page
        assert b"secret-state" not in page

    @pytest.mark.parametrize(
        ("form", "check"),
        [
            ({"lever": "play", "name": "rotating"}, lambda: scenarios.chosen("rotation") == "on"),
            ({"lever": "choose", "rotation": "on", "pkce": "required"}, lambda: scenarios.chosen("pkce") == "required"),
            ({"lever": "move", "hours": "48"}, lambda: clock.offset().total_seconds() == 172_800),
            ({"lever": "arm", "route": "token", "kind": "cut", "count": ""}, lambda: faults.armed()[0].count is None),
        ],
    )
    def test_pulls_the_same_levers_and_undoes_them(self, client, form, check):
        assert client.post("/control/pull", form).status_code == 302
        assert check()
        client.post("/control/pull", {"lever": "reset", "back": "start"})
        assert not scenarios.differing()
        assert not faults.armed()
        assert not clock.offset()

    @pytest.mark.parametrize(
        "form",
        [
            {"lever": "play", "name": "calm"},
            {"lever": "choose", "rotation": "perhaps"},
            {"lever": "move", "hours": "many"},
            {"lever": "move", "hours": "nan"},
            {"lever": "move", "hours": "1e300"},
            {"lever": "arm", "route": "x", "kind": "y"},
            {"lever": "fly"},
        ],
    )
    def test_says_so_when_a_lever_does_not_move(self, client, form):
        page = client.post("/control/pull", form, follow=True)
        assert page.status_code == 200
        assert not scenarios.differing()
        assert not clock.offset()
