"""A copy of one of an account's several records."""

from datetime import timedelta

import pytest

from apps.records.attachments import storing as attachments
from apps.records.exporting import copies
from apps.records.exporting.copies import Form
from apps.records.models import Record
from tests.records.exporting.keeping import keep
from tests.records.exporting.taking import parts, unpacked
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.people import R4_PATIENT, allergy


@pytest.mark.django_db
@pytest.mark.parametrize("form", list(Form))
def test_a_copy_of_one_record_holds_nothing_of_another_of_theirs(alice, form):
    """Which may be a child's, and the copy for its school."""
    connection = make_connection(alice)
    keep(connection, R4_PATIENT)
    child = make_connection(alice, make_endpoint("https://other.example/r4"), created_at=AT)
    for day, note in enumerate(("one canary", "other canary")):
        keep(child, allergy("child-1", note=note), at=AT + timedelta(days=day))
        keep(connection, allergy("a1", note=f"mother {note}"), at=AT + timedelta(days=day))
    for owner, logical_id in ((child, "child-1"), (connection, "a1")):
        record = Record.objects.get(connection=owner, logical_id=logical_id)
        attachments.keep(record, {"url": "Binary/1"}, b"%PDF-1.7 letter of " + logical_id.encode(), at=AT)
    mothers, childs = parts(alice)
    theirs = b"".join(unpacked(copies.copy([mothers], form, at=AT)).values())
    assert not [said for said in (b"child-1", b'"one canary', b'"other canary') if said in theirs]
    theirs = b"".join(unpacked(copies.copy([childs], form, at=AT)).values())
    assert not [said for said in (b'"a1"', b"/a1", b"mother", b"letter of a1") if said in theirs]
    assert [theirs.count(said) for said in (b"one canary", b"other canary", b"letter of child-1")] == [1, 1, 1]
