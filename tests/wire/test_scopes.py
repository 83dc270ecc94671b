"""Scopes: their grammar, which are requested, and which were granted."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.wire import authorization, scopes
from apps.wire.errors import Code, RequestRefused
from apps.wire.resource_types import RESOURCE_TYPES
from apps.wire.scopes import Context, LaunchKind, Scope, SmartVersion
from apps.wire.secret import Secret

TYPES = sorted({name for types in RESOURCE_TYPES.values() for name in types})
contexts = st.sampled_from(["patient", "user", "system"])
types = st.sampled_from([*TYPES, "*", "ClaimResponse"])
v1_rights = st.sampled_from(["read", "write", "*"])
v2_rights = st.sets(st.sampled_from("cruds"), min_size=1).map(lambda chosen: "".join(r for r in "cruds" if r in chosen))
filters = st.sampled_from(["", "?category=laboratory", "?code=http://loinc.org|1234-5&x=y"])
prefixes = st.sampled_from(["", "http://smarthealthit.org/fhir/scopes/"])
clinical = st.builds("{}/{}.{}".format, contexts, types, v1_rights) | st.builds(
    "{}/{}.{}{}".format, contexts, types, v2_rights, filters
)
special = st.sampled_from(
    ["openid", "fhirUser", "profile", "launch", "launch/patient", "online_access", "offline_access"]
)


def refused(call, *args, **kwargs):
    with pytest.raises(RequestRefused) as refusal:
        call(*args, **kwargs)
    return refusal.value.code is Code.INVALID_SCOPE


def asked(*names, version=SmartVersion.V1, launch=LaunchKind.STANDALONE, refresh=None, identity=False):
    return scopes.request(version=version, resource_types=names, launch=launch, refresh=refresh, identity=identity)


class TestAScope:
    @pytest.mark.parametrize(
        ("text", "scope"),
        [
            ("patient/Goal.read", Scope(Context.PATIENT, "Goal", frozenset("rs"))),
            ("user/Goal.write", Scope(Context.USER, "Goal", frozenset("cud"))),
            ("system/*.*", Scope(Context.SYSTEM, "*", frozenset("cruds"))),
            ("patient/Goal.rs", Scope(Context.PATIENT, "Goal", frozenset("rs"))),
            ("patient/Goal.s", Scope(Context.PATIENT, "Goal", frozenset("s"))),
            ("patient/*.cruds", Scope(Context.PATIENT, "*", frozenset("cruds"))),
            (
                "patient/Observation.rs?category=laboratory",
                Scope(Context.PATIENT, "Observation", frozenset("rs"), "category=laboratory"),
            ),
            ("http://smarthealthit.org/fhir/scopes/patient/Goal.read", Scope(Context.PATIENT, "Goal", frozenset("rs"))),
        ],
    )
    def test_is_read_in_either_writing(self, text, scope):
        assert scopes.parse(text) == scope

    @pytest.mark.conformance("C26")
    @pytest.mark.parametrize(
        "text",
        [
            "",
            " ",
            "patient",
            "patient/",
            "patient/Goal",
            "patient/Goal.",
            "/Goal.read",
            "Goal.read",
            "patient.Goal/read",
            "Patient/Goal.read",
            "PATIENT/Goal.read",
            "patient/goal.read",
            "patient/Goal.Read",
            "patient/Goal.READ",
            "patient/Goal.sr",
            "patient/Goal.dus",
            "patient/Goal.rr",
            "patient/Goal.readwrite",
            "patient/Goal.read.read",
            "patient/Goal.rs?",
            "patient/Goal.read?category=x",
            "patient/Goal.*?category=x",
            "patient/Goal.rs?a=b?c=d",
            "patient/Go al.read",
            " patient/Goal.read",
            "patient/Goal.read ",
            "patient/Goal.read\n",
            "patient//Goal.read",
            "practitioner/Goal.read",
            "patient/**.read",
            "patient/Goal*.read",
            "patient/Goal1.read",
            "patient/G\u00f6al.read",
            'patient/Goal.rs?a="b"',
            "patient/Goal.rs?a=\\b",
            "patient/Goal.rs?a=b c",
            "patient/" + "G" * 65 + ".read",
            "https://smarthealthit.org/fhir/scopes/patient/Goal.read",
            "openid",
            "launch/patient",
            "online_access",
            "patient/Goal.rs?" + "a" * 2000,
        ],
    )
    def test_outside_the_grammar_is_refused(self, text):
        assert scopes.parse(text) is None

    @given(clinical, prefixes)
    def test_means_the_same_when_it_is_written_anew(self, text, prefix):
        scope = scopes.parse(prefix + text)
        assert scope is not None
        assert scopes.parse(str(scope)) == scope

    @given(st.text(max_size=40) | st.text("patientusryem/*.GoalrdwcH? ", max_size=30))
    def test_is_read_or_none_whatever_is_written(self, text):
        scope = scopes.parse(text)
        if scope is None:
            return
        assert re.fullmatch(r"(patient|user|system)/(\*|[A-Z][A-Za-z]*)\.(read|write|\*|c?r?u?d?s?)(\?\S+)?", text)
        assert scope.rights


class TestAScopeParameter:
    @pytest.mark.conformance("C26")
    def test_keeps_case_and_order_with_single_spaces(self):
        assert scopes.joined(["launch/patient", "fhirUser", "patient/Goal.read", "fhirUser"]) == (
            "launch/patient fhirUser patient/Goal.read"
        )
        assert scopes.joined("  openid   patient/Goal.read\n") == "openid patient/Goal.read"

    @pytest.mark.conformance("C26")
    @pytest.mark.parametrize(
        "names",
        [
            ["system/Goal.read", "patient/Goal.read"],
            ["user/Goal.read", "system/Goal.read"],
            ["system/Goal.rs", "launch"],
            ["http://smarthealthit.org/fhir/scopes/system/Goal.read", "patient/Goal.read"],
        ],
    )
    def test_never_mixes_a_system_with_a_person(self, names):
        assert refused(scopes.joined, names)

    @pytest.mark.conformance("C27")
    @pytest.mark.parametrize("refresh", ["online_access", "offline_access"])
    def test_never_asks_for_a_refresh_scope_beside_a_system_scope(self, refresh):
        assert refused(scopes.joined, ["system/Goal.read", refresh])

    @pytest.mark.parametrize("name", ["", "a b", 'a"b', "a\\b", "\u00e9", "a\n", "patient/goal.read", "x" * 1001])
    def test_holds_no_name_outside_the_grammar(self, name):
        assert refused(scopes.joined, ["openid", name])

    def test_holds_names_of_which_we_know_nothing(self):
        assert scopes.joined(["launch/questionnaire?role=http://ns.example/x", "urn:example:thing"])

    @given(st.lists(clinical | special, max_size=6))
    def test_is_made_of_what_was_given_or_refused(self, names):
        try:
            written = scopes.joined(names)
        except RequestRefused:
            assert 0 < len([name for name in names if name.startswith("system/")]) < len(names)
        else:
            assert "  " not in written
            assert (written.split(" ") if written else []) == list(dict.fromkeys(names))

    @pytest.mark.conformance("C26")
    def test_in_an_authorization_url_holds_no_system_scope(self):
        assert refused(
            authorization.authorization_url,
            authorize_url="https://login.provider.example/authorize",
            client_id="our-id",
            redirect_uri="https://us.example/back/",
            state=Secret("a-state"),
            scope="system/Patient.read",
        )


class TestARequest:
    def test_in_the_first_writing(self):
        assert asked("Patient", "Location", refresh="offline_access", identity=True) == (
            "launch/patient", "openid", "fhirUser", "offline_access", "patient/Patient.read", "user/Location.read"
        )  # fmt: skip

    def test_in_the_second_writing(self):
        assert asked("Patient", "Binary", "Medication", version=SmartVersion.V2, launch=LaunchKind.EHR) == (
            "launch", "patient/Patient.rs", "patient/Binary.r", "user/Medication.rs"
        )  # fmt: skip

    @pytest.mark.parametrize(
        "resource_type",
        [
            *("Location", "Organization", "Practitioner", "PractitionerRole", "Medication"),
            *("Endpoint", "Questionnaire"),
        ],
    )
    def test_asks_as_a_user_for_what_is_no_patients_own(self, resource_type):
        assert asked(resource_type, launch=None) == (f"user/{resource_type}.read",)

    @pytest.mark.conformance("C27")
    @pytest.mark.parametrize("refresh", ["online_access", "offline_access", None])
    def test_asks_for_a_refresh_scope_only_as_told(self, refresh):
        names = asked("Goal", refresh=refresh, identity=True)
        assert [name for name in names if name.endswith("_access")] == ([refresh] if refresh else [])

    @pytest.mark.conformance("C26")
    @pytest.mark.parametrize("version", SmartVersion)
    def test_keeps_to_the_grammar_for_every_type_and_never_asks_to_write(self, version):
        names = asked(*TYPES, version=version, launch=LaunchKind.STANDALONE)
        grammar = {
            SmartVersion.V1: r"(patient|user)/[A-Z][A-Za-z]+\.read",
            SmartVersion.V2: r"(patient|user)/[A-Z][A-Za-z]+\.rs?",
        }[version]
        assert names[0] == "launch/patient"
        assert len(names) == 1 + len(TYPES)
        assert all(re.fullmatch(grammar, name) for name in names[1:])

    @pytest.mark.parametrize("resource_type", ["*", "goal", "", "Goal.write patient/Goal", "Goal.read?x"])
    def test_is_refused_for_what_is_no_type(self, resource_type):
        assert refused(asked, resource_type)

    @pytest.mark.parametrize(
        ("supported", "names"),
        [
            ([], ("patient/Observation.rs", "user/Location.rs", "patient/Binary.r")),
            # interface facts 3.8: seen on a patient host
            (["patient/Observation.s"], ("patient/Observation.s", "user/Location.rs", "patient/Binary.r")),
            (["patient/Location.read"], ("patient/Observation.rs", "patient/Location.rs", "patient/Binary.r")),
            (["patient/Location.rs", "user/Location.r"],
             ("patient/Observation.rs", "user/Location.r", "patient/Binary.r")),
            (["user/Observation.r", "patient/Location.write"],
             ("patient/Observation.rs", "user/Location.rs", "patient/Binary.r")),
            (["patient/*.read", "what is this"], ("patient/Observation.rs", "user/Location.rs", "patient/Binary.r")),
        ],
    )  # fmt: skip
    def test_asks_for_what_the_server_names_where_it_names_the_type(self, supported, names):
        asked_for = scopes.request(
            version=SmartVersion.V2,
            resource_types=["Observation", "Location", "Binary"],
            launch=None,
            refresh=None,
            identity=False,
            supported=supported,
        )
        assert asked_for == names

    def test_of_nothing_is_nothing(self):
        assert asked(launch=None) == ()


class TestReadableTypes:
    @pytest.mark.parametrize(
        ("granted", "types"),
        [
            (["patient/Goal.read", "user/Location.rs", "launch/patient"], {"Goal", "Location"}),
            (
                ["patient/Goal.s", "patient/Binary.r", "patient/Device.write", "patient/Encounter.cud"],
                {"Goal", "Binary"},
            ),
            (["patient/Observation.rs?category=laboratory"], {"Observation"}),
            (["http://smarthealthit.org/fhir/scopes/patient/Goal.read"], {"Goal"}),
            (["patient/Goal.write"], set()),
            (["system/Goal.read"], set()),
            (["patient/*.write", "patient/Goal.read"], {"Goal"}),
            (["patient/Goal.sr", "patient/Device.read"], {"Device"}),
        ],
    )
    def test_are_those_granted_for_reading(self, granted, types):
        assert scopes.readable_types(granted) == types

    @pytest.mark.parametrize("granted", [[], ["openid", "fhirUser", "launch", "online_access"], ["what is this"]])
    def test_are_unknown_where_no_resource_is_named(self, granted):
        assert scopes.readable_types(granted) is None

    @pytest.mark.parametrize("granted", ["patient/*.read", "user/*.*", "patient/*.cruds", "patient/*.s"])
    def test_are_all_we_know_where_all_are_granted(self, granted):
        readable = scopes.readable_types([granted])
        assert readable is not None
        assert readable >= set(TYPES)
        assert "*" not in readable


class TestADifference:
    @pytest.mark.parametrize(
        ("requested", "granted"),
        [
            ("patient/Goal.read", "patient/Goal.rs"),
            ("patient/Goal.rs", "patient/Goal.read"),
            ("patient/Goal.write", "patient/Goal.cud"),
            ("patient/Goal.*", "patient/Goal.cruds"),
            ("patient/Goal.read", "http://smarthealthit.org/fhir/scopes/patient/Goal.read"),
            ("http://smarthealthit.org/fhir/scopes/launch", "launch"),
            ("patient/Goal.rs", "patient/Goal.r patient/Goal.s"),
            ("openid launch/patient", "launch/patient openid"),
        ],
    )
    def test_is_none_between_what_means_the_same(self, requested, granted):
        assert scopes.missing(requested.split(), granted.split()) == ()
        assert scopes.missing(granted.split(), requested.split()) == ()

    @pytest.mark.parametrize(
        ("requested", "granted", "missing", "added"),
        [
            ("patient/Goal.read patient/Device.read", "patient/Goal.rs", "patient/Device.read", ""),
            ("patient/Goal.read", "patient/Goal.read patient/Device.read", "", "patient/Device.read"),
            ("patient/Goal.read", "patient/*.read", "", "patient/*.read"),
            ("patient/*.read", "patient/Goal.read", "patient/*.read", ""),
            ("patient/Goal.rs", "patient/Goal.r", "patient/Goal.rs", ""),
            ("patient/Goal.r", "patient/Goal.rs", "", "patient/Goal.rs"),
            ("patient/Goal.read", "user/Goal.read", "patient/Goal.read", "user/Goal.read"),
            ("patient/Goal.rs", "patient/Goal.rs?status=active", "patient/Goal.rs", ""),
            ("patient/Goal.rs?status=active", "patient/Goal.rs", "", "patient/Goal.rs"),
            ("openid offline_access", "openid online_access", "offline_access", "online_access"),
            ("patient/Goal.read", "patient/goal.read", "patient/Goal.read", "patient/goal.read"),
            ("patient/Goal.read openid", "", "patient/Goal.read openid", ""),
        ],
    )
    def test_names_what_is_missing_from_either_side(self, requested, granted, missing, added):
        assert scopes.missing(requested.split(), granted.split()) == tuple(missing.split())
        assert scopes.missing(granted.split(), requested.split()) == tuple(added.split())

    def test_is_none_where_the_server_does_not_say(self):
        assert scopes.missing(["patient/Goal.read"], None) == ()

    @given(st.lists(clinical | special, max_size=8), st.lists(clinical | special, max_size=8))
    def test_is_part_of_what_was_asked_for(self, some, others):
        assert set(scopes.missing(some, others)) <= set(some)

    @given(st.lists(clinical | special, max_size=8), st.randoms())
    def test_is_none_to_oneself_in_any_order(self, names, random):
        shuffled = list(names)
        random.shuffle(shuffled)
        assert scopes.missing(names, shuffled) == ()
