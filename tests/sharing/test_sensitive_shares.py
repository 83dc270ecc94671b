"""What many people keep to themselves is not in a share unless it was ticked, and the owner reads what was left out."""

import pytest
from django.db import connection as database
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from apps.records import shelving
from apps.records.subjects import CONDITIONS, RESULTS
from apps.sharing import showing
from tests.records.exporting.keeping import keep
from tests.records.exporting.taking import text
from tests.records.linked import AT
from tests.sharing import receiving
from tests.sharing.giving import GOUT, enter, share_of
from tests.sharing.test_fetching import fetch

pytestmark = pytest.mark.django_db

BIPOLAR = {**GOUT, "id": "c2", "code": {"text": "Bipolar disorder, canary"}}


@pytest.fixture
def ill(connection):
    keep(connection, GOUT, BIPOLAR)
    return connection


class TestAShareThatLeavesItOut:
    def test_shows_the_rest_without_a_number_that_tells_of_it(self, visitor, alice, ill):
        said = text(enter(visitor, share_of(alice, ill, subjects=[CONDITIONS])))
        assert "Canary-gout" in said
        assert "Health conditions (1)" in said
        assert "Bipolar" not in said

    def test_tells_its_owner_what_is_left_out(self, hers, alice, ill):
        share = share_of(alice, ill, subjects=[CONDITIONS])
        said = text(hers.get(reverse("preview_share", args=[share.pk])))
        left_out, _, shown = said.partition("Health record of")
        assert "Bipolar disorder, canary" in left_out
        assert "Bipolar" not in shown

    @pytest.mark.parametrize("is_shelved", [True, False])
    def test_is_read_no_more_often_for_its_owner_than_for_a_visitor(self, alice, ill, is_shelved):
        if is_shelved:
            shelving.rebuild_all(ill, at=AT)
        share, at = share_of(alice, ill, subjects=[CONDITIONS]), timezone.now()
        with CaptureQueriesContext(database) as for_a_visitor:
            showing.summary(share, address=str, at=at)
        with CaptureQueriesContext(database) as for_its_owner:
            assert showing.preview(alice, share.pk, file_address=lambda *_: "", at=at).untold
        assert len(for_its_owner) == len(for_a_visitor) + 1  # whose share it is


class TestAShareThatTellsIt:
    def test_shows_it(self, visitor, alice, ill):
        share = share_of(alice, ill, subjects=[CONDITIONS], tells_sensitive=True)
        assert "Bipolar disorder, canary" in text(enter(visitor, share))

    def test_leaves_nothing_out_that_its_owner_would_be_told_of(self, hers, alice, ill):
        share = share_of(alice, ill, subjects=[CONDITIONS], tells_sensitive=True)
        assert "Only you see this" not in text(hers.get(reverse("preview_share", args=[share.pk])))


def finding(logical_id, name, value):
    return {
        "resourceType": "Observation",
        "id": logical_id,
        "status": "final",
        "category": [{"coding": [{"code": "laboratory"}]}],
        "code": {"text": name},
        "effectiveDateTime": "2024-05-06",
        "valueString": value,
    }


def report(logical_id, name, result, **others):
    return {
        "resourceType": "DiagnosticReport",
        "id": logical_id,
        "status": "final",
        "category": [{"coding": [{"code": "LAB"}]}],
        "code": {"text": name},
        "effectiveDateTime": "2024-05-06",
        "result": [{"reference": f"Observation/{result}"}],
        **others,
    }


@pytest.fixture(params=["by shelves", "by records"])
def tested(request, connection):
    keep(
        connection,
        finding("o1", "Ag/Ab combo", "Canary-reactive"),
        report("r1", "HIV-1/2 screening", "o1"),
        finding("o2", "Margin", "Canary-at the edge"),
        report("r2", "Pathology of a mole", "o2", conclusion="Canary-melanoma"),
        finding("o3", "Biopsy finding", "Canary-atypical"),
        finding("o4", "Sodium", "Canary-plain"),
    )
    if request.param == "by shelves":
        shelving.rebuild_all(connection, at=AT)
    return connection


class TestNewsThatMayBeGrave:
    def test_is_no_more_in_the_document_than_on_the_page(self, visitor, alice, tested):
        share = share_of(alice, tested, subjects=[RESULTS])
        read = text(enter(visitor, share))
        (fetched,) = fetch(share, receiving.by(visitor))
        for said in (read, fetched.content.decode()):
            assert "Canary-plain" in said
            for grave in ("reactive", "at the edge", "melanoma", "atypical"):
                assert f"Canary-{grave}" not in said

    def test_is_not_told_by_what_belongs_to_it(self, visitor, hers, alice, tested):
        """The report of HIV is left out, and so what it names has no row that says "may be sensitive"."""
        share = share_of(alice, tested, subjects=[RESULTS])
        said = text(enter(visitor, share))
        assert "HIV-1/2" not in said
        assert "Ag/Ab combo" not in said
        left_out = text(hers.get(reverse("preview_share", args=[share.pk]))).partition("Health record of")[0]
        assert "HIV-1/2 screening" in left_out
        assert "Ag/Ab combo" in left_out

    def test_is_in_the_document_where_it_was_ticked_as_its_owner_is_told(self, visitor, hers, alice, tested):
        share = share_of(alice, tested, subjects=[RESULTS], tells_sensitive=True)
        (fetched,) = fetch(share, receiving.by(visitor))
        for grave in ("reactive", "at the edge", "melanoma", "atypical"):
            assert f"Canary-{grave}" in fetched.content.decode()
        warned = "a clinic's program still gets it"
        assert warned in text(hers.get(reverse("preview_share", args=[share.pk])))
        quiet = share_of(alice, tested, subjects=[RESULTS])
        assert warned not in text(hers.get(reverse("preview_share", args=[quiet.pk])))
