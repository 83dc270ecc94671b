"""The switches of registrations and endpoints: what they change, and what is recorded."""

from datetime import timedelta

import pytest

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import linkability, switching
from apps.directory.linkability import Obstacle
from apps.directory.models import ClientRegistration, Endpoint
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("test")
LATER = AT + timedelta(hours=1)


@pytest.fixture(params=["registration", "endpoint"])
def switch(request, endpoint):
    """Turns one of the two switches, and gives back the row it belongs to."""

    def turn(*, is_on: bool, at=AT):
        if request.param == "endpoint":
            switching.switch_endpoint(endpoint, is_on=is_on, actor=ACTOR, at=at)
            return Endpoint.objects.get()
        registration = ClientRegistration.objects.get()
        switching.switch_registration(registration, is_on=is_on, actor=ACTOR, at=at)
        return ClientRegistration.objects.get()

    return turn


class TestASwitch:
    def test_off_keeps_its_time_until_it_is_on_again(self, switch):
        row = switch(is_on=False)
        assert (row.is_switched_on, row.switched_off_at) == (False, AT)
        row = switch(is_on=True, at=LATER)
        assert (row.is_switched_on, row.switched_off_at) == (True, None)

    def test_of_a_stranger_that_is_on_says_that_staff_looked_at_it(self, endpoint):
        Endpoint.objects.update(is_switched_on=False, switched_off_at=AT, is_stranger=True)
        switching.switch_endpoint(endpoint, is_on=False, actor=ACTOR, at=LATER)
        assert linkability.obstacle(Endpoint.objects.get(), at=LATER) is Obstacle.STRANGER
        switching.switch_endpoint(endpoint, is_on=True, actor=ACTOR, at=LATER)
        assert linkability.obstacle(Endpoint.objects.get(), at=LATER) is None

    def test_twice_is_as_once(self, switch):
        switch(is_on=False)
        assert switch(is_on=False, at=LATER).switched_off_at == AT
        assert AuditEvent.objects.filter(facts__action="switched off").count() == 1

    def test_is_written_down_each_time(self, switch):
        row = switch(is_on=False)
        switch(is_on=True, at=LATER)
        events = AuditEvent.objects.filter(subject_id=str(row.pk)).order_by("pk")
        assert [(event.facts["action"], event.at) for event in events] == [
            ("switched off", AT),
            ("switched on", LATER),
        ]

    def test_stops_linking(self, switch):
        switch(is_on=False)
        assert linkability.obstacle(Endpoint.objects.get(), at=AT) is Obstacle.SWITCHED_OFF
        switch(is_on=True)
        assert linkability.obstacle(Endpoint.objects.get(), at=AT) is None

    def test_says_which_it_is_to_whoever_holds_both_rows(self, switch, endpoint):
        switch(is_on=False)
        assert not switching.is_on(Endpoint.objects.get(), ClientRegistration.objects.get())
        switch(is_on=True)
        assert switching.is_on(Endpoint.objects.get(), ClientRegistration.objects.get())
