"""However many threads wait for providers, some are left for everybody else."""

from contextlib import ExitStack

import pytest

from apps.connections.models import AuthorizationRequest, Connection
from apps.connections.views import waiting_room
from apps.connections.views.waiting_room import ROOM, WaitingRoom
from config import gunicorn
from tests.connections.provider_stand_in import CODE


class TestTheWaitingRoom:
    def test_leaves_half_of_the_threads_to_everybody_else(self):
        assert gunicorn.threads // 2 >= waiting_room.SEATS

    def test_has_no_more_seats_than_that(self):
        room = WaitingRoom(seats=2, seats_for_one=2)
        with room.seat("a") as first, room.seat("b") as second, room.seat("c") as third:
            assert (first, second, third) == (True, True, False)
        with room.seat("c") as again:
            assert again

    def test_keeps_a_seat_for_other_providers(self):
        room = WaitingRoom(seats=3, seats_for_one=2)
        with room.seat("slow"), room.seat("slow"), room.seat("slow") as third, room.seat("quick") as other:
            assert (third, other) == (False, True)

    def test_frees_a_seat_whatever_happened(self):
        room = WaitingRoom(seats=1, seats_for_one=1)
        with pytest.raises(ZeroDivisionError), room.seat("a"):
            raise ZeroDivisionError
        with room.seat("a") as free:
            assert free


@pytest.mark.django_db
class TestComingBackWhenItIsFull:
    def test_asks_for_the_same_address_again_and_uses_nothing_up(self, traveller, place, stand_in):
        departed = traveller.leave(place)
        with ExitStack() as taken:
            for _seat in range(waiting_room.SEATS_FOR_ONE):
                taken.enter_context(ROOM.seat(place.registration.redirect_id))
            page = traveller.come_back(place, code=CODE, state=departed.state)
        assert page.status_code == 503
        assert CODE not in page.content.decode()
        assert (page["Referrer-Policy"], page["Refresh"]) == ("no-referrer", "3")
        assert stand_in.token_requests == []
        assert AuthorizationRequest.objects.get().claimed_at is None
        assert traveller.come_back(place, code=CODE, state=departed.state).status_code == 303
        assert Connection.objects.exists()
