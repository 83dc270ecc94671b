"""The differences between servers, checked against the specification's own numbers."""

import dataclasses

import pytest

from apps.wire.client_authentication import Authentication
from apps.wire.dialects import DIALECTS, FhirVersion, Interface, Placement


class TestThePatientAccessDialect:
    dialect = DIALECTS["patient-access"]

    def test_puts_everything_into_the_query(self):
        assert self.dialect.token_parameters is Placement.QUERY
        assert self.dialect.authentication is Authentication.QUERY

    def test_sends_no_more_than_the_specification_lists(self):
        """P1 and P2 of section 4.1 know neither aud nor PKCE nor state in the exchange."""
        more = (self.dialect.sends_aud, self.dialect.uses_pkce, self.dialect.sends_state_in_exchange)
        assert more == (False, False, False)

    def test_gives_a_refresh_token_forty_eight_hours(self):
        assert (self.dialect.refresh_window_hours, self.dialect.idle_limit_days) == (48, None)

    def test_asks_for_plain_json_in_both_versions(self):
        assert dict(self.dialect.accept) == dict.fromkeys(FhirVersion, "application/json")


class TestTheSmartDialect:
    dialect = DIALECTS["smart"]

    def test_puts_everything_into_the_body(self):
        assert self.dialect.token_parameters is Placement.BODY
        assert self.dialect.authentication is Authentication.BASIC

    def test_sends_audience_state_and_challenge(self):
        assert self.dialect.sends_aud
        assert self.dialect.uses_pkce
        assert self.dialect.sends_state_in_exchange

    def test_refreshes_once_a_minute_at_most_and_within_three_months(self):
        assert self.dialect.minimum_refresh_interval_seconds == 60
        assert self.dialect.refresh_window_hours is None
        assert self.dialect.idle_limit_days == 92  # specification 3: unused for more than three months

    def test_asks_for_the_media_type_of_the_version(self):
        assert dict(self.dialect.accept) == {
            FhirVersion.DSTU2: "application/json+fhir",
            FhirVersion.R4: "application/fhir+json",
        }


class TestEveryDialect:
    def test_is_found_under_the_name_of_its_interface(self):
        assert {name: dialect.interface for name, dialect in DIALECTS.items()} == {
            each.value: each for each in Interface
        }

    @pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
    def test_cannot_be_changed_in_passing(self, dialect):
        with pytest.raises(dataclasses.FrozenInstanceError):
            dialect.uses_pkce = True
        for table in (DIALECTS, dialect.accept, dialect.needs_narrow_search):
            with pytest.raises(TypeError):
                table[FhirVersion.R4] = None  # type: ignore[index]
