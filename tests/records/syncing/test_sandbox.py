"""The whole record of a person of the real sandbox, in both interfaces and versions."""

import pytest

from apps.records.models import QuarantinedRow, SyncStep
from tests.records.syncing import practice

pytestmark = pytest.mark.django_db

Gap = SyncStep.Gap
ROOTS = [("patient-access", "r4"), ("patient-access", "dstu2"), ("smart", "r4"), ("smart", "dstu2")]


@pytest.fixture
def at_root(alice, sandbox, deploy, patient):
    """Alice's link to Ruth's record at a root: `at_root("smart", "r4")`."""

    def link(interface, version):
        if interface == "smart":
            return practice.linked_smart(deploy(version=version), patient)
        return practice.linked(sandbox, alice, version=version)

    return link


def gaps(run):
    """What the run lacks, by type."""
    missing = run.steps.exclude(gap="").exclude(gap=Gap.NOT_OFFERED)
    return dict(missing.values_list("resource_type", "gap"))


class TestAWholeRecord:
    @pytest.mark.conformance("C55", "C57", "X26")
    @pytest.mark.parametrize(("interface", "version"), ROOTS)
    def test_is_stored_to_the_last_row(self, at_root, interface, version):
        there = at_root(interface, version)
        released = there.released()
        run = there.sync()
        stored = there.stored()
        assert {name: released[name] - stored.get(name, set()) for name in released} == {
            name: set() for name in released
        }
        assert sum(map(len, released.values())) > 150
        accompanying = {"Practitioner", "PractitionerRole", "Organization", "Location", "Medication"}
        assert set(stored) <= {*released, *accompanying}
        assert {name: gap for name, gap in gaps(run).items() if name not in {*accompanying, "Provenance"}} == {}
        assert run.outcome == "complete"
        assert not QuarantinedRow.objects.exists()

    @pytest.mark.parametrize(("interface", "version"), ROOTS)
    def test_is_asked_for_with_the_patient_where_the_route_takes_it_and_only_there(self, at_root, interface, version):
        there = at_root(interface, version)
        there.released()
        there.sync()
        root = there.base_url.removeprefix(there.sandbox.origin)
        for row in there.asked():
            name, _, logical_id = row["path"][len(root) :].partition("/")
            assert ("patient=" in row["query"]) is (not logical_id and name != "metadata"), row["path"]
        reads = [row["path"] for row in there.asked() if row["path"].rpartition("/")[0].endswith("Practitioner")]
        assert len(reads) == len(set(reads))
