"""Files of every format, and of none: whatever they contain is read as rows or refused."""

import gzip
import io
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.directory.list_formats.elements import Broken
from apps.directory.list_formats.guarding import Guard
from apps.directory.list_formats.lists import ListFile
from apps.directory.list_formats.rows import EndpointRow, NotADirectory, PairRow, ProviderRow, Refused, Row
from apps.directory.list_formats.terms import Terms
from apps.wire.addresses import AddressPolicy
from apps.wire.dialects import FhirVersion, Interface

BASE = "https://fhir.harbor.example/r4"


def rows_of(document: Any, **terms: Any) -> list[Row]:
    file = io.BytesIO(json.dumps(document).encode())
    return list(ListFile(file, Terms(Guard(AddressPolicy()), **terms)).rows())


def endpoints(document: Any, **terms: Any) -> list[EndpointRow]:
    return [row for row in rows_of(document, **terms) if isinstance(row, EndpointRow)]


def providers(document: Any, **terms: Any) -> list[ProviderRow]:
    return [row for row in rows_of(document, **terms) if isinstance(row, ProviderRow)]


def refusals(document: Any, **terms: Any) -> list[str]:
    return [row.reason for row in rows_of(document, **terms) if isinstance(row, Refused)]


def bundle(*resources: Any) -> dict[str, Any]:
    return {"resourceType": "Bundle", "entry": [{"resource": resource} for resource in resources]}


def endpoint(**changes: Any) -> dict[str, Any]:
    return {"resourceType": "Endpoint", "id": "e", "status": "active", "name": "Harbor", "address": BASE, **changes}


def organization(**changes: Any) -> dict[str, Any]:
    return {"resourceType": "Organization", "id": "o", "name": "Harbor Health", **changes}


def version(code: str) -> dict[str, str]:
    return {"url": "http://hl7.org/fhir/StructureDefinition/endpoint-fhir-version", "valueCode": code}


class TestTheVersionOfAnEndpoint:
    @pytest.mark.parametrize(
        ("stated", "expected"),
        [
            ({"address": "https://h.example.org/api/FHIR/DSTU2/"}, "dstu2"),
            ({"address": "https://h.example.org/ProdFHIR/R2"}, "dstu2"),
            ({"address": "https://h.example.org/fhir-r4/x"}, "r4"),
            ({"address": "https://h.example.org/x", "extension": [version("4.0.1")]}, "r4"),
            ({"address": "https://h.example.org/x", "extension": [version("1.0.2")]}, "dstu2"),
            (
                {"address": "https://h.example.org/x", "payloadMimeType": ["application/fhir+json; fhirVersion=4.0"]},
                "r4",
            ),
            ({"address": "https://h.example.org/R4", "extension": [version("4.0.1")]}, "r4"),
        ],
    )
    def test_is_what_the_list_or_the_address_states(self, stated, expected):
        (row,) = endpoints(bundle(endpoint(**stated)))
        assert row.fhir_version == expected

    @pytest.mark.parametrize(
        ("stated", "reason"),
        [
            ({"address": "https://h.example.org/x"}, "nobody states its FHIR version"),
            ({"address": "https://h.example.org/r4x/er4"}, "nobody states its FHIR version"),
            ({"address": "https://h.example.org/x", "payloadMimeType": ["application/fhir+json"]}, "nobody states"),
            ({"address": "https://h.example.org/x", "extension": [version("3.0.1")]}, "neither DSTU2 nor R4"),
            ({"address": "https://h.example.org/STU3"}, "neither DSTU2 nor R4"),
            ({"extension": [version("1.0.2")]}, "several FHIR versions"),
            ({"extension": [version("1.0.2"), version("4.0.1")], "address": "https://h.example.org/"}, "several"),
        ],
    )
    def test_is_never_guessed(self, stated, reason):
        assert reason in refusals(bundle(endpoint(**stated)))[0]

    def test_is_what_staff_say_where_nobody_else_does(self):
        document = bundle(endpoint(address="https://h.example.org/x"), endpoint(id="f"))
        assert [row.fhir_version for row in endpoints(document, fhir_version=FhirVersion.DSTU2)] == ["dstu2", "r4"]


class TestAnEntryOfABundle:
    @pytest.mark.parametrize(
        "reference",
        [{"reference": "#one"}, {"reference": "one"}, {"id": "#one"}, {"reference": "Organization/one"}, {}, None],
    )
    def test_is_of_the_organization_it_contains_however_it_refers_to_it(self, reference):
        contained = [{"resourceType": "Organization", "id": "one", "name": "Harbor Clinic"}]
        document = bundle(endpoint(name=None, contained=contained, managingOrganization=reference))
        (provider,) = providers(document)
        assert (provider.directory_id, provider.name, provider.shares_id) == ("one", "Harbor Clinic", True)

    @pytest.mark.parametrize(
        "out_of_use",
        [{"status": "suspended"}, {"status": "entered-in-error"}, {"connectionType": {"code": "direct-project"}}],
    )
    def test_that_is_out_of_use_is_neither_listed_nor_refused(self, out_of_use):
        document = bundle(endpoint(**out_of_use), organization())
        assert endpoints(document) == []
        assert refusals(document) == []

    def test_may_be_a_brand_with_portals_sites_and_several_addresses(self):
        portal = {
            "url": "http://hl7.org/fhir/StructureDefinition/organization-portal",
            "extension": [
                {"url": "portalName", "valueString": "MyHarbor\u202e"},
                {"url": "portalUrl", "valueUrl": "https://my.harbor.example/"},
                {"url": "portalLogo", "valueUrl": "https://my.harbor.example/logo.png"},
                {"url": "portalEndpoint", "valueReference": {"reference": "https://x.example/fhir/Endpoint/e"}},
            ],
        }
        brand = organization(
            extension=[portal],
            alias=["Old Harbor", "", 7, "Old Harbor"],
            partOf={"reference": "Organization/system"},
            telecom=[{"system": "phone", "value": "1"}, {"system": "url", "value": "https://harbor.example"}],
            address=[{"state": "WI"}, {"city": "Madison", "state": "WI", "postalCode": "53703"}, {"city": "Peoria"}],
            type=[{"coding": [{"code": "ins"}]}],
            endpoint=[{"reference": "Endpoint/e"}, {"reference": "Endpoint/other"}],
        )
        (provider,) = providers(bundle(brand))
        assert (provider.city, provider.state, provider.postal_code) == ("Madison", "WI", "53703")
        assert (provider.aliases, provider.website, provider.kind) == (
            ["Old Harbor"],
            "https://harbor.example",
            "insurer",
        )
        assert (provider.part_of, provider.key) == ("Organization/system", "Organization/o")
        pairs = [row for row in rows_of(bundle(brand)) if isinstance(row, PairRow)]
        assert [(pair.endpoint_key, pair.portal_name, pair.portal_url) for pair in pairs] == [
            ("Endpoint/e", "MyHarbor", "https://my.harbor.example/"),
            ("Endpoint/other", "", ""),
        ]
        assert "logo" not in repr(rows_of(bundle(brand)))


class TestARowOfAVendor:
    @pytest.mark.parametrize(
        "document",
        [
            {"endpoints": [{"name": "Harbor", "baseUrl": BASE, "type": "prod"}]},
            {"Endpoints": [{"URL": BASE, "OrganizationName": "Harbor", "NPIID": "", "OrganizationZipCode": "53703"}]},
            [
                {
                    "url": BASE,
                    "name": "Harbor",
                    "token": "https://a.example.org/t",
                    "authorize": "https://a.example.org/a",
                }
            ],
            {"Entries": [{"OrganizationName": "Harbor", "FHIRPatientFacingURI": BASE}]},
        ],
    )
    def test_is_read_whatever_its_fields_are_called(self, document):
        (provider,), (row,) = providers(document), endpoints(document)
        assert (provider.name, row.fhir_base_url, row.interface) == ("Harbor", BASE, "smart")
        assert not row.states_server  # a SMART deployment says itself where patients sign in

    def test_names_an_authorization_server_where_the_interface_needs_one(self):
        named = {"token": "https://a.example.org/t", "authorize": "https://a.example.org/a"}
        (row,) = endpoints([{"url": BASE, "name": "Harbor", **named}], interface=Interface.PATIENT_ACCESS)
        assert (row.authorize_url, row.token_url, row.dialect) == (*reversed(named.values()), "patient-access")

    @pytest.mark.parametrize(
        ("row", "reason"),
        [
            ({"url": "https://h.example.org/r4"}, "it has no name"),
            ({"name": "Harbor"}, "it has no address"),
            ({"name": "Harbor", "url": "http://h.example.org/r4"}, "address does not begin with https://"),
            ({"name": "Harbor", "url": "https://h.local/r4"}, "not a public name"),
            ({"name": "Harbor", "url": "https://localhost/r4"}, "not a public name"),
            ({"name": "Harbor", "url": "https://127.0.0.1/r4"}, "not on the public network"),
            ({"name": "Harbor", "url": "https://h.example.org:4431/r4"}, "a port that staff have not approved"),
            ({"name": "Harbor", "url": "https://me@h.example.org/r4"}, "a user name"),
            ({"name": "Harbor", "url": "https://h.example.org/r4#x"}, "a part after #"),
            ({"name": "Harbor", "url": "https://h.example.org/a/../r4"}, "a path that programs read"),
            ({"name": "Harbor", "url": "call us"}, "address has characters that no address has"),
            ({"name": "x" * 201, "url": "https://h.example.org/r4"}, "more than 200 characters"),
            ("text", "it is not an object"),
        ],
    )
    def test_is_refused_with_a_reason_that_a_person_understands(self, row, reason):
        assert reason in refusals([row])[0]

    def test_that_is_no_production_is_left_out(self):
        assert providers(
            {"endpoints": [{"name": "Test", "baseUrl": BASE, "type": "sandbox"}, {"name": "A", "url": BASE}]}
        )


class TestAFile:
    @pytest.mark.parametrize(
        "content",
        [b"{}", b'{"format": "other/1", "providers": []}', b'{"providers": []}', b'{"format": "holdfast-directory/1"}',
         b'{"format": "holdfast-directory/1", "providers": {}}', b'{"resourceType": "Patient", "entry": []}',
         b'{"format": "holdfast-directory/1", "name": 7, "providers": []}', b'{"link": [1]}',
         b'{"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "Patient"}}]}',
         b'{"format": "holdfast-directory/1", "providers": [], "name": "later"}'],
    )  # fmt: skip
    def test_that_is_no_directory_is_refused_whole(self, content):
        with pytest.raises(NotADirectory, match="it"):
            list(ListFile(io.BytesIO(content), Terms(Guard(AddressPolicy()))).rows())

    def test_is_known_by_the_name_it_gives_itself(self):
        content = json.dumps({"format": "holdfast-directory/1", "name": "The\nsandbox", "providers": []}).encode()
        one = ListFile(io.BytesIO(content), Terms(Guard(AddressPolicy())))
        assert list(one.rows()) == []
        assert one.name == "The sandbox"


known_words = st.sampled_from(
    [
        "id",
        "name",
        "url",
        "URL",
        "baseUrl",
        "address",
        "endpoints",
        "endpoint",
        "resource",
        "resourceType",
        "Endpoint",
        "Organization",
        "contained",
        "alias",
        "managingOrganization",
        "reference",
        "extension",
        "valueCode",
        "status",
        "active",
        "type",
        "coding",
        "code",
        "telecom",
        "system",
        "value",
        "partOf",
        "fullUrl",
        "providers",
        "fhir_base_url",
        "fhir_version",
        "interface",
        "authorization_server",
        "EndpointName",
        "FormatType",
        "token",
        "authorize",
        "http://hl7.org/fhir/StructureDefinition/organization-portal",
        "portalUrl",
        "https://h.example.org/r4",
        "payloadMimeType",
        "connectionType",
        "is_sandbox",
        "kind",
        "website",
    ]
)
leaves = st.none() | st.booleans() | st.integers() | st.floats() | known_words | st.text(max_size=8)
anything = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(known_words | st.text(max_size=4), inner, max_size=6),
    max_leaves=20,
)


class TestAnyContent:
    @settings(max_examples=400)
    @given(anything, st.sampled_from(["entry", "providers", "endpoints", "Endpoints", "", "name"]), anything)
    def test_is_rows_or_refusals(self, raw, key, other):
        resource = {"resourceType": "Endpoint", **raw} if isinstance(raw, dict) else raw
        parent = {"resourceType": "Organization", **raw} if isinstance(raw, dict) else raw
        elements = [raw, {"resource": resource}, parent, other]
        document = {"format": "holdfast-directory/1", key: elements, "x": other} if key else elements
        try:
            rows = rows_of(document)
        except (NotADirectory, Broken):
            return
        for row in rows:
            texts = "".join(value for value in row if isinstance(value, str))
            assert not {unicodedata.category(character) for character in texts} & {"Cc", "Cf", "Cs"}, row

    @pytest.mark.parametrize("folder", ["endpoints", "brands"])
    def test_of_published_lists_is_read(self, folder, fhir_examples: Path):
        for path in sorted(fhir_examples.joinpath(folder).iterdir()):
            content = path.read_bytes()
            for form in (content, content if path.suffix != ".gz" else gzip.decompress(content)):
                rows = list(ListFile(io.BytesIO(form), Terms(Guard(AddressPolicy()))).rows())
                assert rows
                refused = [row for row in rows if isinstance(row, Refused)]
                assert len(refused) == (1 if path.name == "epic-dstu2-endpoint-bundle.json.gz" else 0)
