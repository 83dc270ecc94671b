"""What a program is told about a file, or about a request that failed."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from apps.sharing.health_links import manifests
from apps.sharing.health_links.manifest_requests import ManifestRequest, Refusal
from apps.sharing.health_links.manifests import About

LOCATION = "https://holdfast.example/shared/file?ticket=x"
AT = datetime(2026, 11, 28, 3, 0, 0, 400_000, tzinfo=UTC)


class TestAManifest:
    def test_says_of_its_file_what_the_specification_knows(self):
        assert json.loads(manifests.embedded("a..b.c.d", About(AT))) == {
            "files": [
                {
                    "contentType": "application/fhir+json",
                    "embedded": "a..b.c.d",
                    "lastUpdated": "2026-11-28T03:00:00Z",
                    "status": "can-change",
                    "fhirVersion": "4.0.1",
                }
            ]
        }

    def test_says_where_a_file_is_and_not_both(self):
        (file,) = json.loads(manifests.located(LOCATION, About(AT)))["files"]
        assert (file["location"], file["status"]) == (LOCATION, "can-change")
        assert "embedded" not in file

    def test_tells_the_time_in_the_zone_of_nobody(self):
        at = AT.astimezone(timezone(timedelta(hours=-8)))
        assert b'"2026-11-28T03:00:00Z"' in manifests.embedded("a", About(at))

    def test_tells_no_time_without_a_zone(self):
        with pytest.raises(ValueError, match="zone"):
            manifests.embedded("canary", About(AT.replace(tzinfo=None)))

    @pytest.mark.parametrize(
        ("longest", "may"), [(None, True), (0, False), (99, False), (100, True), (101, True), (2**80, True)]
    )
    def test_embeds_what_is_no_longer_than_was_asked(self, longest, may):
        assert manifests.may_embed("x" * 100, ManifestRequest("Harbor", "", longest)) is may

    def test_lasts_no_longer_than_an_hour_where_it_leads_elsewhere(self):
        assert timedelta(0) < manifests.LOCATION_LASTS <= timedelta(hours=1)


class TestARefusal:
    @pytest.mark.parametrize(("left", "said"), [(4, 4), (0, 0), (-1, 0)])
    def test_of_a_passcode_says_how_many_tries_are_left(self, left, said):
        assert json.loads(manifests.wrong_passcode(left)) == {"remainingAttempts": said}

    @pytest.mark.parametrize("refusal", Refusal)
    def test_of_a_request_says_why(self, refusal):
        assert json.loads(manifests.refused(refusal)) == {"error": refusal.code}
