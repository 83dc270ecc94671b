"""`bulk_export`, as an operator types it."""

import pytest
from django.core.management import CommandError, call_command

from apps.audit.models import AuditEvent
from apps.directory import bulk_exporting
from apps.directory.bulk_exporting import Reason, Report
from config import env

pytestmark = pytest.mark.django_db


@pytest.fixture
def at_once(exporting, monkeypatch):
    """Nobody waits for a command, either."""
    monkeypatch.setattr("time.sleep", exporting.waits.append)
    return exporting


class TestTheCommand:
    def test_warns_before_and_after_and_says_how_much_there_is(self, at_once):
        said = at_once.command("--types", "Patient,Condition")
        assert said.count("in the clear") == 2
        lines = sum(content.count(b"\n") for content in at_once.files().values())
        assert f"Complete: {lines} resources in {len(at_once.files())} files, as of 20" in said

    def test_says_which_types_are_missing(self, at_once):
        assert "Not allowed to us, and missing: Coverage" in at_once.command()

    def test_is_written_down_under_its_own_name(self, at_once):
        at_once.command("--types", "Patient")
        assert {event.actor_name for event in AuditEvent.objects.all() if event.event.startswith("bulk_export.")} == {
            "bulk_export"
        }

    def test_goes_on_where_it_stopped(self, at_once):
        at_once.fault("unavailable", path="/b/storage/", after=1, count=10)
        with pytest.raises(CommandError, match="goes on where this one stopped"):
            at_once.command("--types", "Patient,Condition")
        at_once.command("--types", "Patient,Condition")
        assert len(at_once.asked("$export")) == 1

    def test_once_complete_asks_nobody_again(self, at_once):
        at_once.command("--types", "Patient")
        at_once.sandbox.delete("/control/requests")
        assert "Already complete: 1 file, as of " in at_once.command("--types", "Patient")
        assert at_once.sandbox.get("/control/requests")["requests"] == []

    def test_that_brings_files_without_a_line_was_not_complete_before(self, at_once, monkeypatch):
        report = Report(files=2, transaction_time="2026-11-20T09:40:00Z")
        monkeypatch.setattr(bulk_exporting, "export", lambda *_given, **_options: report)
        assert "\nComplete: 0 resources in 2 files, as of 2026" in at_once.command("--types", "Patient")

    def test_takes_only_what_changed_since(self, at_once):
        assert "Complete: 0 resources" in at_once.command("--since", "2999-01-01T00:00:00Z", "--types", "Patient")

    def test_gives_up_an_export(self, at_once):
        at_once.switch(bulk_outcome="failed")
        with pytest.raises(CommandError, match="--give-up"):
            at_once.command("--types", "Patient")
        assert "Given up" in at_once.command("--types", "Patient", "--give-up")
        assert len(at_once.asked("bulk-export/jobs", method="DELETE")) == 1
        at_once.switch(bulk_outcome="complete")
        assert "Complete:" in at_once.command("--types", "Patient")

    def test_says_what_is_missing_on_our_side(self, at_once):
        at_once.deployment.set(system_account=None)
        with pytest.raises(CommandError, match="names no system account"):
            at_once.command()

    def test_stops_when_it_is_told_to(self, at_once, monkeypatch):
        def interrupt(_seconds):
            raise KeyboardInterrupt

        monkeypatch.setattr("time.sleep", interrupt)
        with pytest.raises(CommandError, match="Stopped") as stopped:
            at_once.command("--types", "Patient")
        assert stopped.value.returncode == 130

    def test_wants_an_endpoint_of_the_directory(self, tmp_path):
        with pytest.raises(CommandError, match="no endpoint"):
            call_command(
                "bulk_export", "--endpoint", "https://x.example", "--group", "g", "--output", str(tmp_path / "out")
            )
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize("left_out", ["--endpoint", "--group", "--output"])
    def test_assumes_nothing(self, left_out):
        given = {"--endpoint": "https://x.example", "--group": "g", "--output": "/nowhere"}
        arguments = [part for name, value in given.items() if name != left_out for part in (name, value)]
        with pytest.raises(CommandError, match=left_out):
            call_command("bulk_export", *arguments)

    def test_keeps_as_much_of_the_disk_free_as_it_is_told_to(self, at_once):
        with pytest.raises(CommandError, match="--keep-free"):
            at_once.command("--types", "Patient", "--keep-free", "1000000000000")
        assert not at_once.asked("$export")

    def test_takes_no_larger_file_than_it_is_told_to(self, at_once):
        with pytest.raises(CommandError, match="--largest-file"):
            at_once.command("--types", "Patient", "--largest-file", "0")

    @pytest.mark.parametrize("limit", ["-1", "some", "1.5", ""])
    def test_takes_no_limit_that_is_none(self, at_once, limit):
        with pytest.raises(CommandError, match="megabytes"):
            at_once.command(f"--keep-free={limit}")

    def test_is_no_page_of_the_admin(self):
        leading = {
            str(path.relative_to(env.ROOT))
            for path in (env.ROOT / "apps").rglob("*.py")
            if "bulk_exporting" in path.read_text(encoding="utf-8") and path.parent.name != "bulk_exporting"
        }
        assert leading == {"apps/directory/management/commands/bulk_export.py"}


class TestAReason:
    @pytest.mark.parametrize("reason", list(Reason))
    def test_is_a_sentence_that_names_no_address(self, reason):
        assert str(reason.value).endswith(".")
        assert "://" not in reason.value
