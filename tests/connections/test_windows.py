"""A sign-in in a window of its own: each page says whether the window may be closed, and both tell the outcome."""

import pytest

from tests.connections.provider_stand_in import CODE

pytestmark = pytest.mark.django_db

MAY_BE_CLOSED = "If this window was opened only for the sign-in, you can close it now."
STAYS_OPEN = "leave that one open until it says how it ended. Then reload this page."


class TestTheWindowOfASignIn:
    @pytest.mark.conformance("C47")
    def test_stays_open_until_there_is_an_answer(self, traveller, place):
        departed = traveller.leave(place)
        page = traveller.client.get(departed.page).content.decode()
        assert STAYS_OPEN in page
        assert MAY_BE_CLOSED not in page

    @pytest.mark.conformance("C47")
    def test_may_be_closed_afterwards_and_the_first_one_tells_the_end_too(self, traveller, place):
        departed = traveller.leave(place)
        answer = traveller.come_back(place, error="access_denied", state=departed.state)
        for page in (traveller.client.get(answer["Location"]), traveller.client.get(departed.page)):
            shown = page.content.decode()
            assert "Permission was not given" in shown
            assert MAY_BE_CLOSED in shown
            assert "The window you started in shows the same when you reload it." in shown
            assert STAYS_OPEN not in shown

    @pytest.mark.conformance("C47")
    def test_leads_both_on_to_whose_record_it_is(self, traveller, place):
        departed = traveller.leave(place)
        traveller.come_back(place, code=CODE, state=departed.state)
        for _window in range(2):
            page = traveller.client.get(departed.page, follow=True)
            assert "Is this the right person?" in page.content.decode()

    def test_promises_nothing_where_nobody_began(self, client):
        page = client.get("/connect/answer/forged/").content.decode()
        assert MAY_BE_CLOSED in page
        assert "The window you started in" not in page
