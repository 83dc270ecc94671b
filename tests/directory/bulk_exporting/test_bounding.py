"""An export never fills the disk, whatever the provider sends, and never touches files of another export."""

import pytest

from apps.directory.bulk_exporting import Limits, NotExported, Reason, downloading
from apps.wire.errors import Unavailable

pytestmark = pytest.mark.django_db


class TestAnExport:
    def test_is_not_asked_for_where_the_disk_is_nearly_full(self, exporting):
        exporting.limits = Limits(keep_free_bytes=10**18)
        with pytest.raises(NotExported) as full:
            exporting.run()
        assert full.value.reason is Reason.NEARLY_FULL
        assert not exporting.asked("$export")

    def test_takes_no_larger_file_than_it_may_and_goes_on_once_it_may(self, exporting):
        exporting.limits = Limits(keep_free_bytes=0, largest_file_bytes=2_000)
        with pytest.raises(NotExported) as large:
            exporting.run()
        assert large.value.reason is Reason.TOO_LARGE
        assert sum(path.stat().st_size for path in exporting.folder.glob("*.part")) <= 2_000
        exporting.limits = Limits(keep_free_bytes=0)
        assert exporting.run().lines > 300
        assert len(exporting.asked("$export")) == 1

    def test_takes_no_file_of_many_more_lines_than_were_announced(self, exporting, monkeypatch):
        """Files have up to a hundred lines here, and say so."""
        monkeypatch.setattr(downloading, "_MOST_TIMES", 0)
        monkeypatch.setattr(downloading, "_MORE_LINES", 50)
        with pytest.raises(NotExported) as endless:
            exporting.run()
        assert endless.value.reason is Reason.UNANNOUNCED
        assert not exporting.asked("bulk-export/jobs", method="DELETE")
        monkeypatch.undo()
        assert exporting.run().lines > 300


class TestAFileOfAnotherExport:
    def stop(self, exporting, path):
        exporting.fault("unavailable", path=path, count=10)
        with pytest.raises(Unavailable):
            exporting.run()
        exporting.sandbox.delete("/control/faults")

    def test_is_not_replaced_by_one_of_the_same_name(self, exporting):
        self.stop(exporting, "bulk-export/jobs")
        (exporting.folder / "Patient.0001.ndjson").write_bytes(b"mine")
        with pytest.raises(NotExported) as refused:
            exporting.run()
        assert refused.value.reason is Reason.LEFT_FILES
        assert exporting.files() == {"Patient.0001.ndjson": b"mine"}

    def test_is_not_taken_for_one_of_this(self, exporting):
        self.stop(exporting, "bulk-export/files")
        (exporting.folder / "Device.0001.ndjson").write_bytes(b"mine")
        with pytest.raises(NotExported) as refused:
            exporting.run()
        assert refused.value.reason is Reason.LEFT_FILES
