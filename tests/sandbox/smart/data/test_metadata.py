"""Discovery by metadata: the oauth-uris extension of a root (specification 2.2, interface facts 3.2)."""

from urllib.parse import urljoin

import pytest

from apps.sandbox import scenarios
from apps.sandbox.smart import scopes
from tests.sandbox.smart.literal import RIVERSIDE, WILLOW

OAUTH_URIS = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"
TENANT = f"http://testserver/b/authorization/tenants/{WILLOW}"
AUTHORIZE = f"{TENANT}/protocols/oauth2/profiles/smart-v1/personas/patient/authorize"
TOKEN = f"{TENANT}/hosts/myrecord/protocols/oauth2/profiles/smart-v1/token"
MANAGE = f"{TENANT}/personas/patient/my-authorizations"


@pytest.fixture
def security(client, two_tenants):
    """The rest.security element of a root's metadata."""

    def security(host="myrecord", version="r4", tenant=WILLOW):
        answer = client.get(f"/b/{host}/{version}/{tenant}/metadata")
        assert answer.status_code == 200
        (rest,) = answer.json()["rest"]
        assert rest["mode"] == "server"
        return rest["security"]

    return security


@pytest.fixture
def named(security):
    """The addresses of the extension by name, in their order."""

    def named(*root):
        (extension,) = security(*root)["extension"]
        assert set(extension) == {"url", "extension"}
        return {one["url"]: one["valueUri"] for one in extension["extension"]}

    return named


class TestMetadata:
    @pytest.mark.conformance("X27")
    @pytest.mark.parametrize(
        ("version", "resource_type", "fhir_version", "media_type", "system"),
        [
            ("dstu2", "Conformance", "1.0.2", "application/json+fhir", "http://hl7.org/fhir/restful-security-service"),
            (
                *("r4", "CapabilityStatement", "4.0.1", "application/fhir+json"),
                "http://terminology.hl7.org/CodeSystem/restful-security-service",
            ),
        ],
    )
    def test_says_where_access_is_asked_for_without_a_token(
        self, client, two_tenants, version, resource_type, fhir_version, media_type, system
    ):
        answer = client.get(f"/b/myrecord/{version}/{WILLOW}/metadata")
        told = answer.json()
        assert (answer["Content-Type"], told["resourceType"], told["fhirVersion"]) == (
            *(media_type, resource_type, fhir_version),
        )
        assert told["implementation"]["url"] == f"http://testserver/b/myrecord/{version}/{WILLOW}/"
        security = told["rest"][0]["security"]
        assert security["cors"] is True
        assert security["service"] == [{"coding": [{"system": system, "code": "SMART-on-FHIR"}]}]
        (extension,) = security["extension"]
        assert extension["url"] == OAUTH_URIS
        inner = {one["url"]: one["valueUri"] for one in extension["extension"]}
        assert inner["authorize"] == AUTHORIZE
        assert inner["token"] == TOKEN

    @pytest.mark.conformance("X28")
    @pytest.mark.parametrize("version", ["dstu2", "r4"])
    def test_names_a_manage_page_where_patients_sign_in_alone(self, named, version):
        assert named("myrecord", version)["manage"] == MANAGE
        assert "manage" not in named("ehr", version)

    @pytest.mark.conformance("X27")
    def test_names_more_in_r4_than_in_dstu2(self, named):
        assert set(named("ehr", "dstu2")) == {"authorize", "token"}
        assert set(named("ehr", "r4")) == {"authorize", "token", "revoke", "introspect"}
        assert named("ehr", "r4")["authorize"].endswith("/personas/provider/authorize")

    @pytest.mark.conformance("X30")
    def test_names_the_token_address_with_tenant_host_and_profile(self, named):
        assert named("ehr", "r4", RIVERSIDE)["token"] == (
            f"http://testserver/b/authorization/tenants/{RIVERSIDE}/hosts/ehr/protocols/oauth2/profiles/smart-v1/token"
        )

    @pytest.mark.conformance("X30")
    def test_names_the_older_form_when_switched(self, named):
        scenarios.choose("token_path", "older")
        assert named()["token"] == f"{TENANT}/protocols/oauth2/profiles/smart-v1/token"

    @pytest.mark.conformance("X56")
    @pytest.mark.parametrize("version", ["dstu2", "r4"])
    def test_says_of_each_type_whether_systems_may_read_it(self, client, two_tenants, version):
        """Specification 5.2.5: system access is to be had only where the documentation of a resource says so."""
        (rest,) = client.get(f"/b/myrecord/{version}/{WILLOW}/metadata").json()["rest"]
        for one in rest["resource"]:
            asked = (f"system/{one['type']}.read",)
            granted = scopes.grantable_to_system(asked, versions=[version])
            told = {interaction.get("documentation") for interaction in one["interaction"]}
            assert told == ({f"System access: {asked[0]}"} if granted else {None}), one["type"]

    @pytest.mark.parametrize("address", [f"/b/open/r4/{WILLOW}/metadata", "/a/r4/fhir/r4/metadata"])
    def test_tells_of_no_systems_where_there_are_none(self, client, two_tenants, address):
        assert "ystem access" not in client.get(address).content.decode()

    @pytest.mark.conformance("X28")
    def test_of_the_open_host_names_nothing(self, security):
        assert security("open") == {"cors": True}

    def test_has_no_extension_when_switched(self, security):
        scenarios.choose("oauth_uris", "absent")
        assert set(security()) == {"cors", "service"}

    @pytest.mark.parametrize(
        ("order", "first", "last"),
        [("token-first", "token", "introspect"), ("authorize-first", "authorize", "manage"),
         ("manage-first", "manage", "token")],
    )  # fmt: skip
    def test_orders_addresses_as_switched(self, named, order, first, last):
        scenarios.choose("oauth_uris_order", order)
        names = list(named())
        assert (names[0], names[-1]) == (first, last)

    @pytest.mark.parametrize(
        ("spelling", "url"),
        [
            ("upper-case", "http://FHIR-registry.smarthealthit.org/StructureDefinition/oauth-uris"),
            ("mangled", "http://fhir-registry.smarthealthit.org/fhir/r4/StructureDefinition/oauth-uris"),
        ],
    )
    def test_spells_the_extension_oddly_when_switched(self, security, spelling, url):
        scenarios.choose("oauth_uris_url", spelling)
        assert security()["extension"][0]["url"] == url

    @pytest.mark.parametrize(
        ("form", "address"),
        [
            ("from-host", "/b/authorization/tenants/"),
            ("from-root", "../../../authorization/tenants/"),
        ],
    )
    def test_gives_relative_addresses_when_switched(self, named, form, address):
        scenarios.choose("discovered_addresses", form)
        assert named()["token"] == address + TOKEN.partition("/tenants/")[2]
        assert named()["manage"] == address + MANAGE.partition("/tenants/")[2]

    @pytest.mark.parametrize(("place", "below"), [("usual", ""), ("deep", "interop/api/fhir/")])
    def test_gives_addresses_that_lead_from_the_root_to_where_they_should(self, client, two_tenants, place, below):
        scenarios.choose("root_path", place)
        scenarios.choose("discovered_addresses", "from-root")
        root = f"http://testserver/b/myrecord/r4/{WILLOW}/{below}"
        (rest,) = client.get(f"{root}metadata").json()["rest"]
        inner = {one["url"]: one["valueUri"] for one in rest["security"]["extension"][0]["extension"]}
        assert inner["token"].startswith("../")
        assert (urljoin(root, inner["token"]), urljoin(root, inner["authorize"])) == (TOKEN, AUTHORIZE)

    def test_leaves_out_what_does_not_exist(self, named):
        scenarios.choose("revocation", "off")
        scenarios.choose("introspection", "off")
        assert set(named("ehr")) == {"authorize", "token"}
