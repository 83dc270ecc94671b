"""A sample of other people's example data, from a file through the sandbox and a sync to a page; `make coverage-report`
takes all of it."""

import pytest

from config import env
from development.example_coverage import reporting, table
from tests.fixtures.sandbox import a_database

pytestmark = pytest.mark.django_db

# Of two makers, one in each version, and what is missing on purpose.
SAMPLE = ("dstu2/epic", "r4/us-core", "ugly/cases/ms-uscore-missing-data-compliant.json")


@pytest.fixture
def examples():
    folder = env.fhir_examples()
    if folder is None or not folder.is_dir():
        pytest.skip("FHIR_EXAMPLES names no folder of example data")
    return folder


class TestDataOfOthers:
    def test_syncs_and_shows_what_it_is_and_when(self, db, examples, tmp_path):
        with a_database("coverage_test") as url:
            covered = reporting.cover([examples / name for name in SAMPLE], database_url=url, scratch=tmp_path)
        whole = covered.tally.total()
        assert whole.failed == 0
        assert whole.resources > 150
        assert table.titled(whole) >= 0.98
        assert table.dated(whole) >= 0.98
        assert {one.outcome for one in covered.copies} == {"complete"}
        assert {version for version, _type in covered.tally.counts} == {"dstu2", "r4"}
