"""What a server says it supports, from tidy capability statements and odd ones."""

import gzip
import json
from pathlib import Path

import pytest

from apps.wire.capability_statements import OfferedType, read_capability_statement
from apps.wire.dialects import FhirVersion
from apps.wire.errors import Code, EndpointMisconfigured
from config import env

EXAMPLES = env.fhir_examples() or Path("no-such-folder")
R4 = {"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1"}


def rest(*resources, **members):
    return {"rest": [{"mode": "server", "resource": list(resources), **members}]}


class TestACapabilityStatement:
    def test_of_dstu2_is_a_conformance(self):
        goal = {"type": "Goal", "interaction": [{"code": "read"}], "searchParam": [{"name": "patient"}]}
        read = read_capability_statement({"resourceType": "Conformance", "fhirVersion": "1.0.2", **rest(goal)})
        assert read.version is FhirVersion.DSTU2
        assert read.types == {"Goal": OfferedType(frozenset({"read"}), frozenset({"patient"}))}

    def test_says_what_a_search_brings_along(self):
        goal = {"type": "Goal", "searchRevInclude": ["Provenance:target", 7, None]}
        odd = {"type": "Device", "searchRevInclude": "Provenance:target"}
        read = read_capability_statement({**R4, **rest(goal, odd)})
        assert read.types["Goal"].reverse_includes == {"Provenance:target"}
        assert read.types["Device"].reverse_includes == frozenset()

    @pytest.mark.parametrize(("listed", "allowed"), [([], True), (["read"], False), (["read", "search-type"], True)])
    def test_that_lists_no_interaction_forbids_none(self, listed, allowed):
        assert OfferedType(frozenset(listed), frozenset()).allows("search-type") is allowed

    def test_lists_what_each_type_can_do(self):
        interactions = [{"code": "search-type"}, {"code": "read"}]
        named = [
            {"name": "_id"},
            {"name": "practitioner.name"},
            {"name": "-timing-boundsPeriod"},
            {"name": "_maxresults"},
        ]
        read = read_capability_statement(
            {**R4, **rest({"type": "Goal", "interaction": interactions, "searchParam": named})}
        )
        assert read.types["Goal"].interactions == {"read", "search-type"}
        assert read.types["Goal"].search_parameters == {each["name"] for each in named}

    @pytest.mark.parametrize(
        ("version", "expected"), [("4.0.1", FhirVersion.R4), ("4.0.0", FhirVersion.R4), ("1.0.2", FhirVersion.DSTU2)]
    )
    def test_names_its_version(self, version, expected):
        assert read_capability_statement({**R4, "fhirVersion": version}).version is expected

    @pytest.mark.parametrize("version", ["3.0.1", "4.3.0", "5.0.0", "4", "", None, 4.0, ["4.0.1"], "40.1"])
    def test_is_refused_where_we_do_not_speak_its_version(self, version):
        with pytest.raises(EndpointMisconfigured) as refused:
            read_capability_statement({**R4, "fhirVersion": version})
        assert refused.value.code is Code.UNKNOWN_VERSION

    def test_passes_over_what_is_odd(self):
        odd = [
            7,
            None,
            {},
            {"type": 7},
            {"type": "not a type"},
            {"type": "Goal", "interaction": 7, "searchParam": [7, {}]},
        ]
        statement = {**R4, "rest": [7, {"mode": "client", "resource": [{"type": "Basic"}]}, {"resource": odd}]}
        assert read_capability_statement(statement).types == {"Goal": OfferedType(frozenset(), frozenset())}
        assert read_capability_statement({**R4, "rest": "x"}).types == {}

    @pytest.mark.parametrize("kind", [None, 7, [], {}, "", "Patient", "capabilitystatement"])
    def test_is_none_where_it_does_not_say_so(self, kind):
        with pytest.raises(EndpointMisconfigured) as refused:
            read_capability_statement({**R4, "resourceType": kind})
        assert refused.value.code is Code.NO_METADATA

    @pytest.mark.parametrize(
        ("members", "software"),
        [
            ({"software": {"name": "Enterprise", "version": "5.0.1"}, "publisher": "P"}, "Enterprise 5.0.1"),
            ({"software": {"name": "Enterprise"}}, "Enterprise"),
            ({"publisher": "P"}, "P"),
            ({"software": 7, "publisher": 7}, ""),
            ({"software": {"name": "a\x00\r\nb" + "c" * 500}}, "ab" + "c" * 198),
        ],
    )
    def test_names_the_software_for_staff(self, members, software):
        assert read_capability_statement({**R4, **members}).software == software

    @pytest.mark.skipif(not EXAMPLES.is_dir(), reason="FHIR_EXAMPLES is not set")
    @pytest.mark.parametrize("version", [FhirVersion.DSTU2, FhirVersion.R4])
    def test_of_real_servers_is_read(self, version):
        folder = {FhirVersion.DSTU2: "dstu2/conformance", FhirVersion.R4: "r4/capability"}[version]
        files = sorted((EXAMPLES / folder).glob("*.json*"))
        assert files
        for file in files:
            octets = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
            read = read_capability_statement(json.loads(octets.decode("utf-8-sig")))
            assert read.version is version, file.name
            assert "Patient" in read.types, file.name
