"""The hunt itself works: a planted secret is found wherever it is, and however it is encoded."""

import logging

import pytest
from django.core.cache import cache
from kombu import Queue

from apps.connections.models import AuthorizationRequest
from apps.directory.models import ClientRegistration
from config.celery import app
from tests.faults import hunting
from tests.faults.hunting import Canary

pytestmark = pytest.mark.django_db

PLANTED = "planted/secret+0123456789"


def in_a_column(traveller):
    AuthorizationRequest.objects.update(error_uri=f"https://provider.example/?{PLANTED}")


def in_bytes(traveller):
    ClientRegistration.objects.update(sealed_secret=b"\x00" + PLANTED.encode() + b"\xff")


def on_an_admin_page(traveller):
    ClientRegistration.objects.update(label=PLANTED)


def in_a_session(traveller):
    session = traveller.client.session
    session["kept"] = {"secret": PLANTED}
    session.save()


def in_the_cache(traveller):
    cache.set("kept", PLANTED, 60)


def in_the_queue(traveller):
    app.send_task("planted", kwargs={"run_id": PLANTED}, queue="planted")


def in_a_line(traveller):
    logging.getLogger("apps.connections.callback.completing").debug("sent %s", PLANTED)


def on_a_page(traveller):
    traveller.get(f"/providers/?q={PLANTED.replace('+', '%2B')}")


class TestAPlantedSecret:
    @pytest.mark.parametrize(
        "plant",
        [in_a_column, in_bytes, on_an_admin_page, in_a_session, in_the_cache, in_the_queue, in_a_line, on_a_page],
    )
    def test_is_found(self, plant, place, traveller, heard, staff):
        traveller.leave(place)
        planted = {Canary("planted", PLANTED)}
        hunting.assert_nowhere(planted, hunting.tracks(traveller, heard.texts, staff))
        plant(traveller)
        try:
            with pytest.raises(AssertionError, match="<planted> in"):
                hunting.assert_nowhere(planted, hunting.tracks(traveller, heard.texts, staff))
        finally:
            cache.delete("kept")
            with app.connection_for_write() as broker:
                Queue("planted", channel=broker.default_channel).purge()
