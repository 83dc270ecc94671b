"""FHIR roots: each needs a tenant, has only that tenant's data (interface facts 3.1), and answers pages of any
origin."""

import pytest

from apps.sandbox.models import Tenant
from tests.sandbox.smart.literal import RIVERSIDE, WILLOW

EVERYTHING = "launch/patient patient/Patient.read patient/Observation.read user/Organization.read"


class TestRoot:
    @pytest.mark.conformance("X31")
    @pytest.mark.parametrize("path", ["metadata", ".well-known/smart-configuration", "Patient/r-ada", "anything"])
    def test_of_an_unknown_tenant_is_forbidden(self, client, two_tenants, path):
        for tenant in ("5C2D9C1A-7E64-4B0F-9D53-0F8A6B1E2C37", "unknown", "%00"):
            answer = client.get(f"/b/myrecord/r4/{tenant}/{path}")
            assert answer.status_code == 403
            assert answer["Content-Type"].startswith("text/plain")
            assert answer.content == b"The tenant is invalid or not accessible"

    @pytest.mark.conformance("X31")
    def test_of_a_suspended_tenant_is_forbidden(self, token, get):
        opened = token()
        assert get(f"/b/myrecord/r4/{WILLOW}/Patient/r-ada", opened).status_code == 200
        Tenant.objects.filter(pk=WILLOW).update(is_suspended=True)
        assert get(f"/b/myrecord/r4/{WILLOW}/Patient/r-ada", opened).status_code == 403
        assert get(f"/b/myrecord/r4/{WILLOW}/metadata").status_code == 403

    def test_can_be_suspended_over_the_control_address(self, two_tenants, client):
        def suspend(**body):
            return client.post("/control/tenants", body, content_type="application/json")

        assert suspend(id=RIVERSIDE, is_suspended=True).json()["is_suspended"] is True
        assert client.get(f"/b/myrecord/r4/{RIVERSIDE}/metadata").status_code == 403
        assert client.get(f"/b/myrecord/r4/{WILLOW}/metadata").status_code == 200
        listed = client.get("/control/tenants").json()["tenants"]
        assert {row["id"]: row["is_suspended"] for row in listed} == {RIVERSIDE: True, WILLOW: False}
        suspend(id=RIVERSIDE, is_suspended=False)
        assert client.get(f"/b/myrecord/r4/{RIVERSIDE}/metadata").status_code == 200
        for wrong in ({"id": "unknown"}, {}, {"id": RIVERSIDE, "is_suspended": "yes"}, {"id": RIVERSIDE, "name": "x"}):
            assert suspend(**wrong).status_code == 400

    @pytest.mark.parametrize("path", ["/b/myrecord/", "/b/ehr/r4", "/b/open/dstu2/", f"/b/myrecord/stu3/{WILLOW}/"])
    def test_without_a_tenant_is_a_bad_gateway(self, client, two_tenants, path):
        answer = client.get(path)
        assert answer.status_code == 502
        assert answer["Content-Type"].startswith("text/html")

    @pytest.mark.conformance("X31")
    def test_holds_other_data_than_another_under_equal_ids(self, token, get):
        """Ada allows both; r-ada is somebody else at Riverside, and so is every other id."""
        at_willow = token(EVERYTHING)
        at_riverside = token(EVERYTHING, tenant=RIVERSIDE, answer={"patient": "r-ada"})
        found = {}
        for tenant, opened in ((WILLOW, at_willow), (RIVERSIDE, at_riverside)):
            root = f"/b/myrecord/r4/{tenant}"
            bundle = get(f"{root}/Observation?patient=r-ada&category=laboratory", opened).json()
            assert bundle["entry"][0]["fullUrl"] == f"http://testserver{root}/Observation/o-1"
            found[tenant] = (
                get(f"{root}/Patient/r-ada", opened).json()["name"][0]["family"],
                bundle["entry"][0]["resource"]["valueQuantity"]["value"],
                get(f"{root}/Organization/home", opened).json()["name"],
            )
        assert found == {WILLOW: ("Byron", 13.2, "Willow Creek"), RIVERSIDE: ("Riverside", 99.9, "Riverside")}

    @pytest.mark.conformance("X31")
    def test_gives_files_of_its_own(self, token, get):
        scope = "launch/patient patient/DocumentReference.read patient/Binary.read"
        opened = token(scope)
        for tenant, key in ((WILLOW, opened), (RIVERSIDE, token(scope, tenant=RIVERSIDE, answer={"patient": "r-ada"}))):
            for route in ("document", "Binary"):
                answer = get(f"/b/myrecord/r4/{tenant}/{route}/pdf-r-ada", key, "application/pdf")
                assert answer.content == b"%PDF of " + tenant.encode()
        body = get(f"/b/myrecord/r4/{WILLOW}/DocumentReference/d-1", opened).json()
        assert body["content"][0]["attachment"]["url"] == f"http://testserver/b/myrecord/r4/{WILLOW}/document/pdf-r-ada"

    def test_answers_other_addresses_with_404_where_a_token_opens_it(self, token, get):
        opened = token()
        for path in ("", "/", "/a/b/c", "/.well-known/openid-configuration"):
            assert get(f"/b/myrecord/r4/{WILLOW}{path}", opened).status_code == 404
            assert get(f"/b/myrecord/r4/{WILLOW}{path}").status_code == 401


class TestOpenHost:
    def test_gives_everything_without_a_token(self, records, get):
        root = f"/b/open/r4/{WILLOW}"
        assert get(f"{root}/Patient/r-ada").json()["name"] == [{"family": "Byron"}]
        assert get(f"{root}/Observation?patient=r-grace&category=laboratory").json()["total"] == 1
        assert get(f"{root}/Organization/home").json()["name"] == "Willow Creek"
        assert get(f"{root}/document/pdf-r-grace", accept="application/pdf").status_code == 200
        assert get(f"{root}/Patient/r-son").status_code == 404

    def test_is_for_reading(self, records, client):
        answer = client.post(f"/b/open/r4/{WILLOW}/Patient", {}, content_type="application/json")
        assert answer.status_code == 405
        assert answer["Allow"] == "GET, HEAD"


class TestPagesOfOtherOrigins:
    @pytest.mark.conformance("X45")
    @pytest.mark.parametrize("path", ["metadata", ".well-known/smart-configuration"])
    def test_may_read_discovery(self, client, two_tenants, path):
        root = f"/b/myrecord/r4/{WILLOW}"
        preflight = client.options(
            f"{root}/{path}",
            headers={"Origin": "https://app.example", "Access-Control-Request-Method": "GET"},
        )
        assert preflight.status_code == 200
        assert preflight.content == b""
        assert preflight["Access-Control-Allow-Origin"] == "*"
        assert "GET" in preflight["Access-Control-Allow-Methods"].split(", ")
        assert "Accept" in preflight["Access-Control-Allow-Headers"].split(", ")
        answer = client.get(f"{root}/{path}", headers={"Origin": "https://app.example"})
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer

    @pytest.mark.conformance("X45")
    def test_may_read_why_they_were_refused(self, client, two_tenants):
        answer = client.get(f"/b/myrecord/r4/{WILLOW}/Patient/r-ada", headers={"Origin": "https://app.example"})
        assert answer.status_code == 401
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert "WWW-Authenticate" in answer["Access-Control-Expose-Headers"].split(", ")

    @pytest.mark.conformance("X45")
    def test_may_not_ask_for_authorization(self, client, two_tenants):
        address = f"/b/authorization/tenants/{WILLOW}/protocols/oauth2/profiles/smart-v1/personas/patient/authorize"
        for answer in (client.options(address), client.get(address, headers={"Origin": "https://app.example"})):
            assert not [name for name in answer.headers if name.lower().startswith("access-control-")]
