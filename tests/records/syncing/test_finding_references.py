"""Which references are read, and which are never read."""

import json

import pytest

from apps.records.syncing import finding_references

BASE = "https://fhir.example/base/r4"


def targets(*references):
    bodies = [
        json.dumps({"resourceType": "Goal", "x": [{"reference": one}]}).replace("\\\\/", "\\/").encode()
        for one in references
    ]
    return finding_references.targets(bodies, base_url=BASE)


class TestAReference:
    @pytest.mark.parametrize(
        "written",
        [
            "Practitioner/9",
            "Practitioner/9/_history/2",
            f"{BASE}/Practitioner/9",
            "https://fhir.example/base/R4/Practitioner/9",
            f"{BASE}/Practitioner/9/_history/1",
            pytest.param(rf"{BASE}/Practitioner/9".replace("/", "\\/"), id="escaped"),
        ],
    )
    def test_on_our_root_is_found(self, written):
        assert targets(written) == {("Practitioner", "9")}

    @pytest.mark.conformance("C56")
    @pytest.mark.parametrize(
        "written",
        [
            "https://terminology.hl7.org/Practitioner/9",
            "http://fhir.example/base/r4/Practitioner/9",
            "https://fhir.example/base/r4x/Practitioner/9",
            "https://fhir.example/base/r4/../Practitioner/9",
            "https://fhir.example:8443/base/r4/Practitioner/9",
            "//fhir.example/base/r4/Practitioner/9",
            "/Practitioner/9",
            "#Practitioner/9",
            "#contained",
            "urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0",
            "Practitioner/..",
            "Practitioner/a/b",
            "Practitioner/a?x=1",
            "Practitioner/",
            "Patient/p-7301",
            "Observation/1",
            "",
        ],
    )
    def test_elsewhere_or_to_another_kind_is_not(self, written):
        assert targets(written) == set()

    def test_is_named_once_however_often_it_stands_there(self):
        found = targets("Practitioner/9", "Practitioner/9", "Location/2", f"{BASE}/Location/2")
        assert found == {("Practitioner", "9"), ("Location", "2")}

    def test_is_found_whatever_stands_around_it(self):
        body = b'{"resourceType":"Goal","author":{"display":"x\\"y","reference" :\n "Organization/o.1-2"},\xff\xfe'
        assert finding_references.targets([body], base_url=BASE + "/") == {("Organization", "o.1-2")}
