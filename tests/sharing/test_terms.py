"""What a share shows, as it is stored."""

from datetime import date

import msgspec

from apps.records.exporting.portions import EVENTS
from apps.records.subjects import LISTED, PROCEDURES, RESULTS
from apps.sharing import places
from apps.sharing.models import Share
from apps.sharing.terms import Terms
from apps.vault import sealing
from apps.vault.sealing import Holder
from tests.sharing.giving import terms_of

SINCE = date(2024, 12, 30)


def limited(share: Share) -> set[str]:
    """The subjects of which it tells what is late alone."""
    portion = terms_of(share).portion
    return {subject.key for subject in LISTED if portion.limits(subject)}


def sealed(share: Share, agreed: Terms, *but: str) -> Share:
    """The share with these terms, as a release wrote them that did not know `but`."""
    written = {name: value for name, value in msgspec.to_builtins(agreed).items() if name not in but}
    with sealing.key_ring(Holder.user(share.user_id)) as ring:
        place = places.terms_place(share.pk)
        share.sealed_terms = ring.seal_body(msgspec.json.encode(written), place=place)
    share.save()
    return share


class TestATimeThatSomebodyChose:
    def test_limits_what_it_limited_when_they_chose(self, share):
        agreed = msgspec.structs.replace(terms_of(share), since=SINCE)
        assert limited(sealed(share, agreed)) == EVENTS
        assert PROCEDURES.key not in EVENTS
        narrow = msgspec.structs.replace(agreed, limited=frozenset({RESULTS.key}))
        assert limited(sealed(share, narrow)) == {RESULTS.key}

    def test_limits_surgeries_too_in_a_share_of_before(self, share):
        agreed = msgspec.structs.replace(terms_of(share), since=SINCE)
        assert limited(sealed(share, agreed, "limited")) == EVENTS | {PROCEDURES.key}


class TestFiles:
    def test_are_in_no_share_of_before(self, share):
        agreed = msgspec.structs.replace(terms_of(share), with_files=True)
        assert terms_of(sealed(share, agreed)).with_files is True
        assert terms_of(sealed(share, agreed, "with_files")).with_files is False
