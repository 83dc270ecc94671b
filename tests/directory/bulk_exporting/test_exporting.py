"""Export a group from the sandbox into a folder: the whole way, and every way in which it can stop and continue."""

import json
import logging
import os
import resource
from collections import Counter

import pytest

from apps.audit.models import AuditEvent
from apps.directory.bulk_exporting import NotExported, Reason
from apps.directory.bulk_exporting.folder import STATE
from apps.directory.system_access import NoSystemAccess
from apps.wire.errors import AuthorizationExpired, NotFound, Unavailable, UnexpectedAnswer, WireError

pytestmark = pytest.mark.django_db


def resources(files):
    """Every resource there is, by type and id, as often as it is there."""
    found: Counter[tuple[str, str]] = Counter()
    for content in files.values():
        for line in content.splitlines():
            body = json.loads(line)
            found[body["resourceType"], body["id"]] += 1
    return found


def events():
    return [(event.event, event.facts) for event in AuditEvent.objects.order_by("pk") if "bulk" in event.event]


def parts_of(exporting):
    """What arrives just now."""
    return list(exporting.folder.glob(".arriving.*.part"))


class Killed(BaseException):
    """Stands for a process that ends: nothing of ours catches it."""


@pytest.fixture
def whole(exporting, tmp_path):
    """What an export that nothing happened to brings."""
    report = exporting.run()
    files = exporting.files()
    exporting.folder = tmp_path / "again"
    exporting.sandbox.delete("/control/requests")
    exporting.waits.clear()
    assert report.lines == sum(resources(files).values()) > 300
    return files


class TestAnExport:
    def test_brings_every_resource_once_in_files_of_the_operator_alone(self, exporting):
        report = exporting.run()
        found = resources(exporting.files())
        assert set(found.values()) == {1}
        assert {kind for kind, _ in found} == {"Patient", "Condition", "Observation"}
        assert (report.lines, report.files) == (len(found), len(exporting.files()))
        assert exporting.modes() == {0o600}
        assert exporting.folder.stat().st_mode & 0o777 == 0o700

    def test_waits_as_long_as_the_provider_asks(self, exporting):
        exporting.run()
        assert exporting.waits == [120, 120]
        assert any("50% complete" in line for line in exporting.said)

    def test_waits_longer_each_time_where_the_provider_does_not_say(self, exporting):
        exporting.switch(bulk_polls="5", bulk_retry_after="none")
        exporting.run()
        assert exporting.waits == sorted(exporting.waits)
        assert exporting.waits[0] >= 4
        assert exporting.waits[-1] >= 60

    def test_is_deleted_at_the_provider_in_the_end(self, exporting):
        exporting.run()
        (deleted,) = exporting.asked("bulk-export/jobs", method="DELETE")
        assert deleted["status"] == 202

    def test_shows_the_token_below_the_root_and_not_to_the_storage(self, exporting):
        exporting.run()
        stored, below = exporting.asked("/b/storage/"), exporting.asked("bulk-export")
        assert len(stored) == len(exporting.files())
        assert not any("Authorization" in request["headers"] for request in stored)
        assert all("Authorization" in request["headers"] for request in below)

    @pytest.mark.parametrize("delivery", ["direct", "open"])
    def test_takes_files_however_they_are_reached(self, exporting, whole, delivery):
        exporting.switch(bulk_delivery=delivery)
        exporting.run()
        assert exporting.files() == whole
        assert not any("Authorization" in request["headers"] for request in exporting.asked("/b/storage/"))

    @pytest.mark.parametrize(
        "switches", [{"bulk_encoding": "gzip"}, {"bulk_ranges": "ignored"}, {"bulk_counts": "untold"}]
    )
    def test_takes_files_of_whatever_form(self, exporting, whole, switches):
        exporting.switch(**switches)
        exporting.run()
        assert exporting.files() == whole

    def test_names_what_the_provider_says_went_wrong(self, exporting):
        exporting.switch(bulk_outcome="with-errors")
        report = exporting.run()
        assert report.errors == 1
        assert "error.OperationOutcome.0001.ndjson" in exporting.files()

    def test_of_all_types_says_which_are_not_to_be_had(self, exporting):
        report = exporting.run(types=())
        assert "Coverage" in report.not_granted
        assert "Patient" not in report.not_granted
        assert {"Organization", "Immunization"} <= {kind for kind, _ in resources(exporting.files())}

    def test_of_nobody_is_complete_and_empty(self, exporting):
        assert exporting.run(group_id="nobody").files == 0

    def test_asks_for_a_new_token_before_the_old_one_ends(self, exporting):
        exporting.switch(smart_access_seconds="90")
        exporting.before = lambda: exporting.go_on(seconds=31, there=31)
        exporting.run()
        assert 401 not in {request["status"] for request in exporting.asked("bulk-export")}
        assert len(exporting.asked("smart-v1/token", method="POST")) == 3

    def test_asks_for_a_new_token_where_the_old_one_is_refused(self, exporting):
        exporting.switch(smart_access_seconds="90")
        exporting.before = lambda: exporting.go_on(seconds=0, there=91)
        exporting.run()
        assert [request["status"] for request in exporting.asked("bulk-export/jobs")] == [202, 401, 202, 401, 200]

    def test_waits_where_the_provider_is_busy_or_not_well(self, exporting, whole):
        exporting.fault("throttled", path="$export", retry_after="33")
        exporting.fault("unavailable", path="bulk-export/jobs", retry_after="44")
        exporting.fault("bad-gateway", path="bulk-export/files", count=2)
        exporting.run()
        assert exporting.files() == whole
        assert exporting.waits[:2] == [33, 44]

    def test_waits_for_another_one_that_runs(self, exporting, tmp_path):
        def stop():
            raise Killed

        exporting.before = stop
        with pytest.raises(Killed):
            exporting.run()
        first, exporting.folder = exporting.folder, tmp_path / "second"
        exporting.before = lambda: exporting.sandbox.post("/control/clock", move_seconds=601)
        exporting.waits.clear()
        exporting.run(types=("Patient",))
        assert exporting.waits[0] == 2
        assert first.exists()


class TestAnInterruptedExport:
    @pytest.mark.parametrize("path", ["$export", "bulk-export/jobs", "bulk-export/files", "/b/storage/"])
    @pytest.mark.parametrize("after", [0, 2])
    def test_goes_on_where_it_stopped_without_loss_or_repeat(self, exporting, whole, path, after):
        """The provider stays away for longer than we try, at whichever step."""
        exporting.fault("unavailable", path=path, after=after, count=10)
        try:
            exporting.run()
        except Unavailable:
            exporting.sandbox.delete("/control/faults")
            exporting.run()
        assert exporting.files() == whole
        kept = {request["path"] for request in exporting.asked("/b/storage/") if request["status"] == 200}
        got = [request["path"] for request in exporting.asked("/b/storage/") if request["status"] == 200]
        assert len(got) == len(kept) == len(whole)

    def test_takes_up_a_file_in_its_middle(self, exporting, whole, monkeypatch):
        real = os.write
        written: Counter[str] = Counter()

        def dies(descriptor, data):
            is_part = any(os.path.samestat(os.fstat(descriptor), part.stat()) for part in parts_of(exporting))
            written["parts"] += is_part
            if is_part and written["parts"] == 2:
                real(descriptor, bytes(data)[: len(data) // 2])
                raise Killed
            return real(descriptor, data)

        monkeypatch.setattr(os, "write", dies)
        with pytest.raises(Killed):
            exporting.run()
        monkeypatch.undo()
        (part,) = parts_of(exporting)
        here = part.stat().st_size
        assert here > 0
        exporting.run()
        parts = [request for request in exporting.asked("/b/storage/") if request["status"] == 206]
        assert [request["headers"]["Range"] for request in parts] == [f"bytes={here}-"]
        assert exporting.files() == whole
        assert len(exporting.asked("$export")) == 1

    def test_takes_a_file_anew_where_no_parts_are_to_be_had(self, exporting, whole):
        exporting.switch(bulk_ranges="ignored")
        exporting.fault("cut", path="/b/storage/")
        exporting.run()
        assert exporting.files() == whole

    @pytest.mark.parametrize("kind", ["cut", "html", "empty", "lost", "dropped-after"])
    def test_keeps_nothing_of_a_spoilt_answer(self, exporting, whole, kind):
        exporting.fault(kind, path="/b/storage/", after=1)
        exporting.run()
        assert exporting.files() == whole

    def test_that_is_spoilt_again_and_again_says_so_and_loses_nothing(self, exporting, whole):
        exporting.fault("html", path="/b/storage/", after=1, count=None)
        with pytest.raises(UnexpectedAnswer):
            exporting.run()
        exporting.sandbox.delete("/control/faults")
        exporting.run()
        assert exporting.files() == whole

    def test_looks_up_addresses_that_hold_no_longer(self, exporting, whole):
        exporting.switch(bulk_delivery="open")
        moved: list[object] = []

        def move(line):
            exporting.said.append(line)
            if "1 of" in line and not moved:
                moved.append(exporting.sandbox.post("/control/clock", move_seconds=400))

        exporting.said = Saying(move)
        exporting.run()
        assert moved
        assert exporting.files() == whole

    def test_that_is_complete_is_not_asked_for_again(self, exporting, whole):
        exporting.run()
        exporting.sandbox.delete("/control/requests")
        assert exporting.run().files == len(whole)
        assert exporting.sandbox.get("/control/requests")["requests"] == []

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda whole: whole[:-9],
            lambda whole: b"\0" * len(whole),
            lambda whole: whole[:-1].replace(b"\n", b" ") + b"\n",
            lambda _whole: b"",
        ],
    )
    def test_fetches_again_what_the_machine_lost(self, exporting, whole, spoil):
        exporting.fault("unavailable", path="/b/storage/", after=4, count=10)
        with pytest.raises(Unavailable):
            exporting.run()
        lost = next(exporting.folder.glob("Condition.*"))
        lost.write_bytes(spoil(lost.read_bytes()))
        exporting.run()
        assert exporting.files() == whole

    def test_whose_disk_is_full_says_so_and_loses_nothing(self, exporting, whole):
        largest = max(map(len, whole.values()))
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest // 2, before[1]))
        try:
            with pytest.raises(NotExported) as full:
                exporting.run()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert full.value.reason is Reason.DISK_FULL
        exporting.run()
        assert exporting.files() == whole


class Saying(list[str]):
    """Hears what is told as it is told."""

    def __init__(self, hear):
        super().__init__()
        self._hear = hear

    def append(self, line):
        hear, self._hear = self._hear, lambda _line: None
        hear(line)
        self._hear = hear


class TestAnExportThatCannotBe:
    def test_made_says_so(self, exporting):
        exporting.switch(bulk_outcome="failed")
        with pytest.raises(NotExported) as failed:
            exporting.run()
        assert failed.value.reason is Reason.FAILED

    def test_found_any_more_says_so(self, exporting):
        exporting.fault("unavailable", path="bulk-export/files", count=10)
        with pytest.raises(Unavailable):
            exporting.run()
        exporting.sandbox.post("/control/reset")
        with pytest.raises(NotExported) as gone:
            exporting.run()
        assert gone.value.reason is Reason.GONE

    def test_of_a_group_that_nobody_knows_says_so(self, exporting):
        with pytest.raises(NotFound):
            exporting.run(group_id="strangers")

    def test_counted_right_is_marked_and_fetched_anew_the_next_time(self, exporting, whole):
        exporting.switch(bulk_counts="wrong")
        with pytest.raises(NotExported) as odd:
            exporting.run()
        assert odd.value.reason is Reason.MISCOUNTED
        assert exporting.files() == {}
        assert len(list(exporting.folder.glob("*.ndjson.miscounted"))) == len(whole)
        assert not exporting.asked("bulk-export/jobs", method="DELETE")
        assert exporting.modes() == {0o600}

    def test_of_types_that_are_not_allowed_says_so_before_it_is_begun(self, exporting):
        with pytest.raises(NotExported) as refused:
            exporting.run(types=("Patient", "Coverage"))
        assert refused.value.reason is Reason.NOT_GRANTED
        assert not exporting.asked("$export")

    def test_allowed_without_system_access_asks_nobody(self, exporting):
        exporting.deployment.set(system_account=None)
        with pytest.raises(NoSystemAccess):
            exporting.run()
        assert not exporting.asked("/b/")

    def test_authorized_is_not_tried_for_ever(self, exporting):
        exporting.sandbox.post("/control/switches", latency_seconds="600")
        with pytest.raises(AuthorizationExpired):
            exporting.run()
        assert len(exporting.asked("$export")) == 2

    def test_spoken_in_dstu2_is_not_begun(self, exporting):
        exporting.deployment.endpoint.fhir_version = "dstu2"
        with pytest.raises(NotExported) as refused:
            exporting.run()
        assert refused.value.reason is Reason.WRONG_VERSION

    def test_what_the_folder_holds_is_not_mixed_with_it(self, exporting):
        exporting.run(types=("Patient",))
        with pytest.raises(NotExported) as refused:
            exporting.run(types=("Condition",))
        assert refused.value.reason is Reason.ANOTHER_EXPORT

    def test_wanted_is_given_up(self, exporting):
        exporting.switch(bulk_counts="wrong")
        with pytest.raises(NotExported):
            exporting.run()
        exporting.give_up()
        assert len(exporting.asked("bulk-export/jobs", method="DELETE")) == 1


class TestWhatIsWrittenDown:
    def test_is_who_from_where_and_how_many(self, exporting):
        report = exporting.run()
        started, finished = AuditEvent.objects.filter(event__startswith="bulk").order_by("pk")
        assert {(event.actor_name, event.subject) for event in (started, finished)} == {("tests", "endpoint")}
        assert {event.subject_id for event in (started, finished)} == {str(exporting.deployment.endpoint.pk)}
        assert finished.facts == {"outcome": "complete", "count": report.files, "rows": report.lines}

    def test_is_also_what_stopped_it(self, exporting):
        exporting.switch(bulk_outcome="failed")
        with pytest.raises(NotExported):
            exporting.run()
        assert events()[-1][1] == {"outcome": "stopped", "count": 0, "rows": 0, "code": "failed"}

    def test_holds_no_token_and_nothing_of_the_files(self, exporting, caplog):
        caplog.set_level(logging.DEBUG)
        exporting.fault("html", path="/b/storage/", after=1, count=None)
        with pytest.raises(WireError) as stopped:
            exporting.run()
        tokens = {
            request["headers"]["Authorization"].split()[1]
            for request in exporting.asked("/b/")
            if "Authorization" in request["headers"]
        }
        names = {
            name["family"]
            for content in exporting.files().values()
            for line in content.splitlines()
            for name in json.loads(line).get("name", [])
        }
        assert tokens
        assert names
        state = (exporting.folder / STATE).read_text()
        told = f"{caplog.text} {stopped.value} {stopped.value!r} {events()} {exporting.said} {state}"
        assert [secret for secret in tokens | names if secret in told] == []
        assert "signature" not in state
