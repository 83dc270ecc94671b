"""Which scopes are requested, and which count as granted."""

import pytest

from apps.connections.grants import scoping
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint
from apps.wire.errors import RequestRefused


def asked(*, interface="smart", version="r4", supported=(), is_launched=False, **columns) -> list[str]:
    chosen = {"smart_version": "v2", "refresh_scope": "offline_access", "asks_identity": True, **columns}
    return scoping.to_ask(
        Endpoint(interface=interface, fhir_version=version),
        ClientRegistration(**chosen),
        AuthorizationServer(scopes_supported=list(supported)),
        is_launched=is_launched,
    ).split()


def types(names: list[str]) -> set[str]:
    return {name.partition("/")[2].partition(".")[0] for name in names if "." in name}


class TestWhatIsAskedFor:
    @pytest.mark.conformance("C27")
    @pytest.mark.parametrize("refresh", ["", "online_access", "offline_access"])
    def test_holds_the_refresh_scope_that_is_configured_and_no_other(self, refresh):
        found = {"online_access", "offline_access"} & set(asked(refresh_scope=refresh))
        assert found == ({refresh} if refresh else set())

    def test_holds_the_types_of_the_version(self):
        assert "MedicationOrder" in types(asked(version="dstu2"))
        assert "MedicationOrder" not in types(asked(version="r4"))

    def test_leaves_out_types_a_server_does_not_list_but_never_the_person(self):
        names = asked(supported=["openid", "patient/Goal.rs", "patient/Basic.rs", "user/Location.rs"])
        assert types(names) == {"Patient", "Goal", "Location"}

    @pytest.mark.parametrize("supported", [[], ["openid", "launch/patient"], ["patient/*.rs"]])
    def test_holds_every_type_where_none_is_listed_by_name(self, supported):
        assert len(types(asked(supported=supported))) > 20

    @pytest.mark.conformance("C58")
    def test_holds_what_only_its_own_version_has_where_the_root_of_another_was_asked(self):
        """Both versions of a deployment may share one authorization server, which keeps one list."""
        of_r4 = ["patient/MedicationRequest.rs", "patient/Binary.rs", "patient/Goal.rs"]
        of_dstu2 = ["patient/MedicationOrder.rs", "patient/Binary.rs", "patient/Goal.rs"]
        assert types(asked(version="dstu2", supported=of_r4)) == {"Patient", "MedicationOrder", "Binary", "Goal"}
        assert {"MedicationRequest", "CareTeam"} < types(asked(version="r4", supported=of_dstu2))
        assert "Condition" not in types(asked(version="r4", supported=of_dstu2))
        both = [*of_r4, *of_dstu2]
        assert types(asked(version="dstu2", supported=both)) == {"Patient", "MedicationOrder", "Binary", "Goal"}
        assert types(asked(version="r4", supported=both)) == {"Patient", "MedicationRequest", "Goal"}

    def test_names_the_kind_of_start(self):
        assert asked()[0] == "launch/patient"
        assert asked(is_launched=True)[0] == "launch"
        assert "launch/patient" not in asked(is_launched=True)

    def test_is_what_the_registration_says_where_it_says_something(self):
        assert asked(scope="launch/patient patient/Goal.rs") == ["launch/patient", "patient/Goal.rs"]
        assert asked(scope="launch/patient patient/Goal.rs", is_launched=True) == ["launch", "patient/Goal.rs"]

    def test_is_nothing_on_interface_a(self):
        assert asked(interface="patient-access") == []
        assert asked(interface="patient-access", scope="openid") == ["openid"]

    @pytest.mark.conformance("C26")
    @pytest.mark.parametrize("scope", ["patient/goal.rs", "patient/Goal.sr", "system/Goal.rs launch/patient"])
    def test_is_never_outside_the_grammar(self, scope):
        with pytest.raises(RequestRefused):
            asked(scope=scope)


class TestWhatCountsAsGranted:
    @pytest.mark.conformance("C36")
    def test_is_what_was_asked_where_the_server_does_not_say(self):
        """RFC 6749 section 5.1."""
        assert scoping.granted("launch/patient patient/Goal.rs", None) == "launch/patient patient/Goal.rs"
        assert scoping.granted("launch/patient patient/Goal.rs", ()) == ""

    def test_holds_whole_names_alone(self):
        names = [f"patient/Goal.rs?category={n:04}" for n in range(300)]
        kept = scoping.granted("", names).split()
        assert kept == names[: len(kept)]
        assert 100 < len(kept) < 300

    @pytest.mark.parametrize(
        ("requested", "granted", "lacks"),
        [
            ("patient/Patient.rs", ("patient/Patient.rs",), False),
            ("patient/Patient.rs", ("patient/Patient.read",), False),
            ("patient/Patient.rs", ("patient/*.rs",), False),
            ("patient/Patient.rs", None, False),
            ("patient/Patient.rs patient/Goal.rs", ("patient/Goal.rs",), True),
            ("patient/Patient.rs", ("openid",), True),
            ("patient/Patient.rs", (), True),
            ("openid fhirUser", ("openid",), False),
            ("", ("patient/Goal.rs",), False),
            ("patient/Goal.read", ["patient/Goal.read"], False),  # nobody asked for the person
            ("launch/patient", [], False),
        ],
    )
    def test_may_lack_the_person(self, requested, granted, lacks):
        assert scoping.lacks_person(requested, granted) is lacks


class TestTheRefreshScope:
    @pytest.mark.conformance("C27")
    @pytest.mark.parametrize(
        ("scope", "asked"),
        [
            ("", "offline_access"),
            ("launch/patient patient/*.read", ""),
            ("patient/*.read online_access", "online_access"),
            ("online_access patient/*.read offline_access", "offline_access"),
            ("not_online_access", ""),
        ],
    )
    def test_is_that_of_the_scope_which_is_asked_for(self, scope, asked):
        registration = ClientRegistration(scope=scope, refresh_scope="offline_access")
        assert scoping.refresh_scope(registration) == asked
