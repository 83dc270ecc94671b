"""Every type of a record, and what accompanies it."""

from datetime import timedelta

import pytest

from apps.records import syncing
from apps.records.models import PendingRead, QuarantinedRow, Record, SyncRun, SyncStep
from apps.records.syncing import watermarks
from tests.records.linked import AT, give_tokens
from tests.records.people import PATIENT_ID, allergy, bundle
from tests.records.provider import ALLERGIES, METADATA, PATIENT
from tests.records.runs import resume, step, stored, sync
from tests.wire.servers import http

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unhurried")]

Gap = SyncStep.Gap
FHIR = "GET /fhir/r4/"
OF_PATIENT = f"?patient={PATIENT_ID}"
NEXT_DAY = AT + timedelta(days=1)


def again(linked, *, at=NEXT_DAY):
    """The next run, with tokens that live."""
    give_tokens(linked, issued_at=at)
    return sync(linked, at=at)


def resource(resource_type, logical_id, **elements):
    return {"resourceType": resource_type, "id": logical_id, **elements}


def reference(target):
    return {"reference": target}


def statement(**types):
    """Each by what its searches take and bring, joined by blanks."""
    rows = []
    for name, words in types.items():
        row = {"type": name, "interaction": [{"code": "read"}, {"code": "search-type"}]}
        row["searchParam"] = [{"name": word} for word in words.split() if ":" not in word]
        row["searchRevInclude"] = [word for word in words.split() if ":" in word]
        rows.append(row)
    return http(body={"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "rest": [{"resource": rows}]})


class TestSearches:
    def test_that_count_beyond_all_measure_cost_no_other_type(self, linked, provider):
        provider.answers[METADATA] = statement(Patient="", AllergyIntolerance="patient", Observation="patient category")
        sweep = FHIR + "Observation" + OF_PATIENT + "&category="
        for name in ("laboratory", "vital-signs"):
            provider.answers[sweep + name] = http(body=bundle(resource("Observation", name), total=2**31 - 1))
        run = sync(linked)
        assert (step(run).status, stored(), stored("Observation")) == (
            "complete",
            {"a1", "a2"},
            {"laboratory", "vital-signs"},
        )
        assert step(run, "Observation").rows_counted == 2**31 - 1

    def test_sweep_the_categories_of_a_type_that_needs_them(self, linked, provider):
        provider.answers[METADATA] = statement(Patient="", Observation="patient category")
        sweep = FHIR + "Observation" + OF_PATIENT + "&category="
        for name in ("laboratory", "vital-signs", "social-history", "survey", "sdoh", "imaging", "procedure", "exam",
                     "therapy", "activity"):  # fmt: skip
            provider.answers[sweep + name] = http(body=bundle(resource("Observation", f"o-{name}"), total=1))
        run = sync(linked)
        assert step(run, "Observation").rows_kept == 10
        assert run.outcome == "complete"

    def test_lose_no_category_because_another_is_refused(self, linked, provider):
        provider.answers[METADATA] = statement(Patient="", Observation="patient category")
        sweep = FHIR + "Observation" + OF_PATIENT + "&category="
        for name in ("laboratory", "vital-signs", "social-history", "survey", "imaging", "procedure", "exam",
                     "therapy", "activity"):  # fmt: skip
            provider.answers[sweep + name] = http(body=bundle(resource("Observation", f"o-{name}"), total=1))
        provider.answers[sweep + "sdoh"] = http(403)
        run = sync(linked)
        assert len(stored("Observation")) == 9
        assert (step(run, "Observation").gap, run.outcome) == (Gap.NOT_SHARED, "partial")

    @pytest.mark.conformance("C57")
    @pytest.mark.parametrize("status", [400, 404])
    def test_fall_back_to_narrow_ones_where_they_are_refused(self, linked, provider, status):
        provider.answers[METADATA] = statement(Patient="", CareTeam="patient status")
        provider.answers[FHIR + "CareTeam" + OF_PATIENT] = http(status)
        narrow = "&status=proposed%2Cactive%2Csuspended%2Cinactive%2Centered-in-error"
        provider.answers[FHIR + "CareTeam" + OF_PATIENT + narrow] = http(body=bundle(resource("CareTeam", "t1")))
        run = sync(linked)
        assert (stored("CareTeam"), run.outcome) == ({"t1"}, "complete")
        assert len(provider.sent(FHIR + "CareTeam" + OF_PATIENT)) == 1

    @pytest.mark.conformance("C57")
    @pytest.mark.parametrize(("status", "got"), [(200, {"lab", "scan"}), (400, {"lab"}), (404, {"lab"})])
    def test_ask_dstu2_for_every_report_before_those_of_the_laboratory_alone(self, linked, provider, status, got):
        linked.endpoint.fhir_version = "dstu2"
        linked.endpoint.save()
        provider.answers[METADATA] = statement(Patient="", DiagnosticReport="patient category")
        lab, scan = (resource("DiagnosticReport", name) for name in ("lab", "scan"))
        search = FHIR + "DiagnosticReport" + OF_PATIENT
        provider.answers[search] = http(body=bundle(lab, scan)) if status == 200 else http(status)
        provider.answers[search + "&category=LAB"] = http(body=bundle(lab))
        sync(linked)
        assert stored("DiagnosticReport") == got
        assert len(provider.sent(search)) == 1

    def test_leave_out_what_a_server_only_says_it_takes(self, linked, provider):
        provider.answers[METADATA] = statement(Patient="", Goal="patient Provenance:target")
        provider.answers[FHIR + "Goal" + OF_PATIENT + "&_revinclude=Provenance%3Atarget"] = http(400)
        provider.answers[FHIR + "Goal" + OF_PATIENT] = http(body=bundle(resource("Goal", "g1")))
        run = sync(linked)
        assert stored("Goal") == {"g1"}
        assert (step(run, "Goal").status, step(run, "Provenance").gap) == ("complete", Gap.REFUSED)

    def test_take_types_along_that_only_the_server_knows(self, linked, provider):
        provider.answers[METADATA] = statement(Patient="", Appointment="patient", Slot="schedule")
        provider.answers[FHIR + "Appointment" + OF_PATIENT] = http(body=bundle(resource("Appointment", "x1")))
        sync(linked)
        assert stored("Appointment") == {"x1"}
        assert not [asked for asked in provider.asked if "Slot" in asked]

    @pytest.mark.conformance("C55")
    def test_keep_what_comes_along_under_its_own_type(self, linked, provider):
        provider.answers[METADATA] = statement(Patient="", Goal="patient Provenance:target")
        page = bundle(resource("Goal", "g1"), resource("OperationOutcome", "w1"), total=1)
        page["entry"].append({"resource": resource("Provenance", "v1"), "search": {"mode": "include"}})
        provider.answers[FHIR + "Goal" + OF_PATIENT + "&_revinclude=Provenance%3Atarget"] = http(body=page)
        run = sync(linked)
        assert (stored("Goal"), stored("Provenance"), stored("OperationOutcome")) == ({"g1"}, {"v1"}, set())
        assert (step(run, "Provenance").status, step(run, "Provenance").rows_kept) == ("complete", 1)

    def test_go_on_with_the_next_where_a_later_page_cannot_be_read(self, linked, provider):
        provider.answers[METADATA] = statement(Patient="", CarePlan="patient", Goal="patient")
        care = FHIR + "CarePlan" + OF_PATIENT + "&category=assess-plan"
        provider.answers[care] = http(
            body=bundle(resource("CarePlan", "c1"), next_url=provider.base_url + "/CarePlan?page=2")
        )
        provider.answers[FHIR + "CarePlan?page=2"] = http(body="<html>")
        provider.answers[FHIR + "Goal" + OF_PATIENT] = http(body=bundle(resource("Goal", "g1")))
        run = sync(linked)
        assert (step(run, "CarePlan").gap, stored("CarePlan"), stored("Goal")) == (Gap.UNREADABLE, {"c1"}, {"g1"})


class TestWhatRowsReferTo:
    @pytest.fixture
    def refers(self, provider):
        """An allergy by a doctor in a role, at a practice that is part of another."""
        provider.answers[METADATA] = statement(
            Patient="", AllergyIntolerance="patient", Practitioner="", PractitionerRole="", Organization=""
        )
        row = allergy("a1", recorder=reference("PractitionerRole/r1"), asserter=reference("Practitioner/d1"))
        again = allergy("a2", recorder=reference(f"{provider.base_url}/Practitioner/d1"))
        elsewhere = allergy("a3", recorder=reference("https://terminology.hl7.org/Practitioner/evil"))
        provider.answers[ALLERGIES] = http(body=bundle(row, again, elsewhere))
        role = resource("PractitionerRole", "r1", practitioner=reference("Practitioner/d2"),
                        organization=reference("Organization/o1"))  # fmt: skip
        provider.answers[FHIR + "PractitionerRole/r1"] = http(body=role)
        provider.answers[FHIR + "Practitioner/d1"] = http(body=resource("Practitioner", "d1"))
        provider.answers[FHIR + "Practitioner/d2"] = http(body=resource("Practitioner", "d2"))
        practice = resource("Organization", "o1", partOf=reference("Organization/o2"))
        provider.answers[FHIR + "Organization/o1"] = http(body=practice)
        provider.answers[FHIR + "Organization/o2"] = http(
            body=resource("Organization", "o2", partOf=reference("Organization/o1"))
        )

    def test_is_read_once_and_after_the_searches(self, linked, provider, refers):
        run = sync(linked)
        assert stored("Practitioner") == {"d1", "d2"}
        assert stored("Organization") == {"o1", "o2"}
        assert run.outcome == "complete"
        for key in ("Practitioner/d1", "Practitioner/d2", "PractitionerRole/r1", "Organization/o1", "Organization/o2"):
            assert len(provider.sent(FHIR + key)) == 1
        searched = [number for number, asked in enumerate(provider.asked) if asked == ALLERGIES]
        read = [number for number, asked in enumerate(provider.asked) if "Practitioner" in asked]
        assert max(searched) < min(read)
        assert not PendingRead.objects.exists()

    @pytest.mark.conformance("C56")
    def test_is_never_asked_for_elsewhere(self, linked, provider, refers):
        sync(linked)
        assert not [asked for asked in provider.asked if "evil" in asked]

    @pytest.mark.parametrize("status", [403, 404, 410])
    def test_is_counted_and_no_gap_where_it_is_not_there(self, linked, provider, refers, status):
        provider.answers[FHIR + "Practitioner/d1"] = http(status)
        run = sync(linked)
        assert stored("Practitioner") == {"d2"}
        assert (step(run, "Practitioner").rows_missing, step(run, "Practitioner").gap) == (
            2,
            "",
        )  # the patient names one more
        assert run.outcome == "complete"

    def test_stays_and_is_marked_where_it_is_gone(self, linked, provider, refers):
        sync(linked)
        provider.answers[FHIR + "Practitioner/d1"] = http(410)
        run = again(linked, at=AT + watermarks.FULL_PROOF_EVERY)
        noticed_at = Record.objects.get(logical_id="d1").removed_at
        assert noticed_at is not None
        assert step(run, "Practitioner").rows_removed == 1
        run = again(linked, at=AT + 2 * watermarks.FULL_PROOF_EVERY)
        assert Record.objects.get(logical_id="d1").removed_at == noticed_at
        assert step(run, "Practitioner").rows_removed == 0

    def test_is_not_asked_for_for_ever_where_it_is_not_shared(self, linked, provider, refers):
        rows = [allergy(f"a{n}", recorder=reference(f"Practitioner/x{n}")) for n in range(40)]
        provider.answers[ALLERGIES] = http(body=bundle(*rows))
        for number in range(40):
            provider.answers[FHIR + f"Practitioner/x{number}"] = http(403)
        run = sync(linked)
        assert step(run, "Practitioner").gap == Gap.NOT_SHARED
        assert len([asked for asked in provider.asked if "Practitioner/x" in asked]) < 10
        assert run.outcome == "complete"


class TestWhatIsGone:
    @pytest.fixture
    def synced(self, linked, provider):
        sync(linked)
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a2"), total=1))

    def test_stays_with_the_date_we_noticed(self, linked, synced):
        run = again(linked, at=NEXT_DAY)
        assert stored() == {"a1", "a2"}
        gone = Record.objects.get(logical_id="a1")
        assert gone.removed_at == step(run).finished_at
        assert Record.objects.get(logical_id="a2").removed_at is None
        assert step(run).rows_removed == 1

    def test_is_there_again_when_it_is_sent_again(self, linked, provider, synced):
        again(linked, at=NEXT_DAY)
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), allergy("a2")))
        again(linked, at=NEXT_DAY + timedelta(days=1))
        assert not Record.objects.filter(removed_at__isnull=False).exists()

    @pytest.mark.parametrize("total", [2, 9])
    def test_is_not_told_by_a_search_that_fell_short(self, linked, provider, synced, total):
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a2"), total=total))
        assert step(again(linked, at=NEXT_DAY)).gap == Gap.STOPPED_SHORT
        assert not Record.objects.filter(removed_at__isnull=False).exists()

    @pytest.mark.conformance("C61")
    def test_is_not_what_was_entered_in_error(self, linked, provider, synced):
        wrong = allergy("a1", verificationStatus={"coding": [{"code": "entered-in-error"}]})
        provider.answers[ALLERGIES] = http(body=bundle(wrong, allergy("a2")))
        again(linked, at=NEXT_DAY)
        assert Record.objects.get(logical_id="a1").removed_at is None
        assert Record.objects.get(logical_id="a1").versions.count() == 1


class TestACheckForChanges:
    @pytest.fixture
    def synced(self, linked, provider):
        provider.answers[METADATA] = statement(Patient="", AllergyIntolerance="patient _lastUpdated")
        return sync(linked)

    def since(self, run):
        watermark_at = step(run).watermark_at
        assert watermark_at is not None
        at = watermark_at - watermarks.OVERLAP
        return f"{ALLERGIES}&_lastUpdated=ge{at:%Y-%m-%dT%H%%3A%M%%3A%SZ}"

    def test_asks_for_no_page_that_did_not_change(self, linked, provider, synced):
        provider.answers[self.since(synced)] = http(body=bundle(total=0))
        run = again(linked, at=NEXT_DAY)
        assert (run.outcome, run.is_full, step(run).since_at) == ("complete", False, step(synced).watermark_at)
        assert len(provider.sent(ALLERGIES)) == 1
        assert not Record.objects.filter(removed_at__isnull=False).exists()

    def test_brings_what_changed(self, linked, provider, synced):
        provider.answers[self.since(synced)] = http(body=bundle(allergy("a3"), total=1))
        assert step(again(linked, at=NEXT_DAY)).rows_changed == 1
        assert stored() == {"a1", "a2", "a3"}

    def test_asks_for_everything_where_that_is_refused(self, linked, provider, synced):
        provider.answers[self.since(synced)] = http(400)
        run = again(linked, at=NEXT_DAY)
        assert (run.outcome, step(run).since_at) == ("complete", None)
        assert len(provider.sent(ALLERGIES)) == 2

    def test_asks_for_everything_where_that_is_forbidden(self, linked, provider, synced):
        """Of a type that is shared: only to be asked for so is not."""
        provider.answers[self.since(synced)] = http(403)
        run = again(linked, at=NEXT_DAY)
        assert (run.outcome, step(run).gap) == ("complete", "")
        assert len(provider.sent(ALLERGIES)) == 2

    def test_is_a_full_proof_again_after_a_week(self, linked, provider, synced):
        run = again(linked, at=AT + watermarks.FULL_PROOF_EVERY)
        assert (run.is_full, step(run).since_at) == (True, None)

    def test_is_none_for_a_type_that_was_never_whole(self, linked, provider):
        provider.answers[METADATA] = statement(Patient="", AllergyIntolerance="patient _lastUpdated")
        provider.answers[ALLERGIES] = http(body=bundle(allergy("a1"), total=5))
        sync(linked)
        again(linked, at=NEXT_DAY)
        assert len(provider.sent(ALLERGIES)) == 2


class TestSeveralAtOnce:
    def test_are_under_way_as_the_dialect_allows(self, linked, provider):
        provider.answers[METADATA] = statement(
            Patient="", AllergyIntolerance="patient", Goal="patient", Device="patient"
        )
        for name in ("Goal", "Device"):
            provider.answers[FHIR + name + OF_PATIENT] = http(body=bundle(resource(name, "1")))
        run = sync(linked)
        assert run.outcome == "complete"
        assert provider.server.connections <= 1 + 2 + 1  # metadata and, by now, two threads

    def test_all_wait_where_the_provider_is_throttling(self, linked, provider):
        provider.answers[METADATA] = statement(
            Patient="", AllergyIntolerance="patient", Goal="patient", Device="patient", Specimen="patient"
        )
        for name in ("Goal", "Device", "Specimen"):
            provider.answers[FHIR + name + OF_PATIENT] = http(429, retry_after="300")
        run = sync(linked)
        assert (run.outcome, run.pauses) == ("", 1)
        assert len([asked for asked in provider.asked if OF_PATIENT in asked]) <= 3
        for name in ("Goal", "Device", "Specimen"):
            provider.answers[FHIR + name + OF_PATIENT] = http(body=bundle(resource(name, "1")))
        resume(run)
        assert run.outcome == "complete"
        assert len(provider.sent(ALLERGIES)) == 1
        assert len(provider.sent(METADATA)) == 1, "a run keeps its plan"

    def test_do_not_wait_for_one_that_fails(self, linked, provider):
        provider.answers[METADATA] = statement(Patient="", AllergyIntolerance="patient", Goal="patient")
        provider.answers[FHIR + "Goal" + OF_PATIENT] = http(500)
        run = sync(linked)
        assert (step(run).status, step(run, "Goal").status, run.outcome) == ("complete", "getting", "")
        for _pause in range(3):
            resume(run)
        assert (run.outcome, step(run, "Goal").gap) == ("partial", Gap.UNAVAILABLE)


class TestARowOfAnotherPatient:
    @pytest.mark.conformance("C63")
    def test_is_put_aside_sealed(self, linked, provider):
        other = resource("Coverage", "c9", beneficiary=reference("Patient/p-9999"))
        provider.answers[METADATA] = statement(Patient="", Coverage="patient")
        provider.answers[FHIR + "Coverage" + OF_PATIENT] = http(body=bundle(other, resource("Coverage", "c1")))
        run = sync(linked)
        assert stored("Coverage") == {"c1"}
        assert step(run, "Coverage").gap == Gap.OTHER_PATIENT
        aside = QuarantinedRow.objects.get()
        assert (aside.run_id, aside.resource_type) == (run.pk, "Coverage")
        assert b"p-9999" not in bytes(aside.sealed_body)


class TestARunOfAnEarlierRelease:
    def test_goes_on_with_the_whole_record(self, linked, provider):
        run = syncing.start(linked, cause=SyncRun.Cause.CONFIRMED, at=AT)
        for name, status in (("Patient", "complete"), ("AllergyIntolerance", "waiting")):
            SyncStep.objects.create(
                run=run, user=run.user, resource_type=name, status=status,
                finished_at=AT if status == "complete" else None,
            )  # fmt: skip
        syncing.advance(run.pk, at=AT)
        run.refresh_from_db()
        assert (run.outcome, stored()) == ("complete", {"a1", "a2"})
        assert provider.sent(PATIENT) == []
        assert run.steps.count() > 20
