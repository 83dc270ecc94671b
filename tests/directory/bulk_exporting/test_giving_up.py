"""An export that will not be finished is deleted at the provider, and never mixed with the next one."""

import pytest

from apps.directory.bulk_exporting import NotExported, Reason
from apps.directory.bulk_exporting.tokens import Tokens
from apps.wire.errors import Unavailable

pytestmark = pytest.mark.django_db


@pytest.fixture
def given_up(exporting):
    """Files of two days apart in one folder would look like one export."""
    exporting.fault("unavailable", path="/b/storage/", after=2, count=10)
    with pytest.raises(Unavailable):
        exporting.run()
    exporting.sandbox.delete("/control/faults")
    exporting.give_up()
    assert len(exporting.asked("bulk-export/jobs", method="DELETE")) == 1
    assert len(exporting.files()) == 2
    return exporting


class TestAnExportThatWasGivenUp:
    def test_is_not_begun_again_among_its_files(self, given_up):
        before = given_up.files()
        with pytest.raises(NotExported) as refused:
            given_up.run()
        assert refused.value.reason is Reason.LEFT_FILES
        assert len(given_up.asked("$export")) == 1
        assert given_up.files() == before

    def test_is_not_begun_again_among_files_that_were_miscounted(self, exporting):
        exporting.switch(bulk_counts="wrong")
        with pytest.raises(NotExported):
            exporting.run()
        exporting.give_up()
        exporting.switch(bulk_counts="told")
        with pytest.raises(NotExported) as refused:
            exporting.run()
        assert refused.value.reason is Reason.LEFT_FILES

    def test_is_begun_again_once_they_are_deleted(self, given_up):
        for path in given_up.folder.glob("*.ndjson"):
            path.unlink()
        report = given_up.run()
        assert report.files == len(given_up.files()) > 2

    def test_is_deleted_also_where_less_is_allowed_by_now(self, exporting, monkeypatch):
        exporting.fault("unavailable", path="bulk-export/files", count=10)
        with pytest.raises(Unavailable):
            exporting.run()
        monkeypatch.setattr(Tokens, "granted", ("system/Patient.read",))
        with pytest.raises(NotExported) as refused:
            exporting.run()
        assert refused.value.reason is Reason.NOT_GRANTED
        exporting.give_up()
        assert len(exporting.asked("bulk-export/jobs", method="DELETE")) == 1

    def test_after_it_was_complete_stays_complete(self, exporting):
        files = exporting.run().files
        exporting.give_up()
        assert exporting.run().files == files > 0
        assert len(exporting.asked("$export")) == 1
