"""Several people sign in at one provider: each gets what they asked for, and nobody else's data is touched."""

import pytest

from apps.connections.callback import confirming
from apps.connections.models import AuthorizationRequest, Connection, StoredTokenSet
from tests.connections.provider_stand_in import CODE, tokens

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(make_traveller, alice, sam):
    return [make_traveller(user) for user in (alice, sam)]


def seen(connection):
    """All that is stored of a connection and its tokens."""
    return (
        Connection.objects.values().get(pk=connection.pk),
        StoredTokenSet.objects.values().get(pk=connection.pk),
        list(AuthorizationRequest.objects.filter(connection=connection).values()),
    )


class TestTwoWhoLeft:
    def test_each_come_back_to_a_link_of_their_own(self, people, place):
        departed = [(person, person.leave(place)) for person in people]
        requests = {request.user_id: request for request in AuthorizationRequest.objects.all()}
        departed.sort(key=lambda one: requests[one[0].user.pk].pk)  # a look at all of them finds the first one's
        (first, hers), (second, his) = departed
        first.come_back(place, code=CODE, state=hers.state)
        waiting = AuthorizationRequest.objects.get(user=second.user)
        assert (waiting.claimed_at, waiting.outcome, waiting.connection) == (None, "", None)
        second.come_back(place, code=CODE, state=his.state)
        rows = AuthorizationRequest.objects.values_list("user", "outcome", "connection__user")
        assert set(rows) == {(person.user.pk, "completed", person.user.pk) for person in people}
        assert StoredTokenSet.objects.count() == 2


class TestSomebodyElsesConnection:
    @pytest.fixture
    def connections(self, people, place):
        """Each has one, confirmed: first the one that a look at all of them finds first."""
        made = []
        for person in people:
            link = person.link(place)
            made.append((confirming.confirm(link, candidate=0, at=link.created_at).connection, person))
        return sorted(made, key=lambda one: one[0].pk)

    def test_stays_as_it_is_where_one_signs_in_again(self, connections, place, stand_in):
        (other, _somebody), (mine, person) = connections
        before = seen(other)
        stand_in.token = tokens(access_token="second-access", refresh_token="second-refresh")
        departed = person.leave(place, url=f"/connections/{mine.pk}/sign-in/")
        person.come_back(place, code=CODE, state=departed.state)
        assert StoredTokenSet.objects.get(pk=mine.pk).generation == 2
        assert seen(other) == before

    def test_stays_as_it_is_where_one_links_the_same_record_once_more(self, connections, place, stand_in):
        (other, _somebody), (mine, person) = connections
        before = seen(other)
        stand_in.token = tokens(access_token="second-access", refresh_token="second-refresh")
        again = person.link(place)
        confirmed = confirming.confirm(again, candidate=0, at=again.created_at)
        assert (confirmed.connection, confirmed.existed_before) == (mine, True)
        assert StoredTokenSet.objects.get(pk=mine.pk).generation == 2
        assert seen(other) == before
