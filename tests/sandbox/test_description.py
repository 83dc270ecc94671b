"""The description of the data routes, for programs and for people (specification 9.3)."""

import pytest


@pytest.fixture(params=["dstu2", "r4"])
def version(request):
    return request.param


class TestMachineReadableDescription:
    @pytest.mark.conformance("X73")
    def test_names_the_addresses_of_its_version(self, client, db, version):
        described = client.get(f"/a/description/{version}.json").json()
        assert described["openapi"].startswith("3.")
        assert described["servers"] == [{"url": f"http://testserver/a/{version}/fhir/{version}"}]
        flow = described["components"]["securitySchemes"]["patient"]["flows"]["authorizationCode"]
        assert flow["tokenUrl"] == f"http://testserver/a/{version}/auth/token"

    @pytest.mark.conformance("X73")
    def test_lists_the_routes_of_its_version(self, client, db, version):
        paths = client.get(f"/a/description/{version}.json").json()["paths"]
        assert ("/MedicationOrder" in paths) == (version == "dstu2")
        assert ("/MedicationRequest" in paths) == (version == "r4")
        parameters = {
            one["name"]: one["required"] for one in paths["/Condition"]["get"]["parameters"] if "required" in one
        }
        assert parameters["patient"] is True
        assert paths["/metadata"]["get"]["security"] == []

    def test_points_at_nothing_that_is_not_there(self, client, db, version):
        described = client.get(f"/a/description/{version}.json").json()
        for operations in described["paths"].values():
            for answer in operations["get"]["responses"].values():
                name = answer.get("$ref", "").rpartition("/")[2]
                assert not name or name in described["components"]["responses"]

    def test_of_another_version_does_not_exist(self, client, db):
        assert client.get("/a/description/r5.json").status_code == 404


class TestPageToExplore:
    @pytest.mark.conformance("X73")
    def test_toggles_between_the_versions(self, client, db):
        page = client.get("/a/description/?version=dstu2").content.decode()
        assert "GET /MedicationOrder</code>" in page
        assert 'href="?version=r4"' in page
        other = client.get("/a/description/?version=r4").content.decode()
        assert "GET /MedicationRequest</code>" in other
        assert 'href="/a/description/r4.json"' in other

    @pytest.mark.conformance("X73")
    def test_is_reached_from_the_portal(self, client, db):
        client.post("/developers/sign-in", {"email": "dev@example.org"})
        assert 'href="/a/description/"' in client.get("/portal/").content.decode()

    @pytest.mark.parametrize("query", ["", "?version=", "?version=r5"])
    def test_shows_r4_when_asked_for_nothing_known(self, client, db, query):
        assert "GET /MedicationRequest</code>" in client.get(f"/a/description/{query}").content.decode()
