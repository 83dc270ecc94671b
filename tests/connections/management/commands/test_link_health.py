"""`link_health` reports the state of links: in lines for people, by its exit code and as JSON for monitors."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connection
from django.utils import timezone

from tests.connections.link_rows import HOUR

CANARIES = ("canary", "alice@example.org", "Alice")


def run(*options):
    """What it prints, and its exit code."""
    printed = io.StringIO()
    try:
        call_command("link_health", *options, stdout=printed)
    except CommandError as ended:
        return printed.getvalue(), ended.returncode
    return printed.getvalue(), 0


@pytest.fixture
def ill(make_link, make_registration):
    """A registration in trouble with a link that ends within a day, and one that is well."""
    now = timezone.now()
    refused = make_registration("Refused gateway", trouble="invalid_client", trouble_at=now)
    make_link(refused, refresh_due_at=now, refresh_deadline_at=now + HOUR)
    make_link()
    return refused


class TestLinkHealth:
    def test_ends_with_0_where_all_is_well(self, make_link):
        make_link()
        text, code = run()
        assert code == 0
        assert text.startswith("All is well.")

    def test_has_no_table_of_nothing(self, db):
        text, code = run()
        assert code == 0
        assert text.splitlines()[1:3] == ["", "There are no links."]

    def test_ends_with_1_where_somebody_should_look(self, make_link, make_registration):
        make_link(make_registration(is_switched_on=False))
        text, code = run()
        assert code == 1
        assert text.startswith("Look at it today.")

    def test_ends_with_2_where_links_end_unless_somebody_acts(self, ill):
        text, code = run()
        assert code == 2
        assert text.startswith("Act now.")
        assert "[ACT] registration_in_trouble: Refused gateway, 1 link, invalid_client, since " in text
        assert "(staff here)" in text
        assert "Refused gateway (invalid_client)" in text

    def test_tells_a_registration_that_is_not_understood_from_one_that_is_switched_off(
        self, make_link, make_registration
    ):
        make_link(make_registration("Later gateway", token_parameters="later"))
        make_link(make_registration("Bay gateway", is_switched_on=False))
        text, _code = run()
        assert "Later gateway (not understood)" in text
        assert "Bay gateway (switched off)" in text

    def test_says_how_long_the_latest_link_waits_in_hours_and_minutes(self, make_link):
        make_link(refresh_due_at=timezone.now() - 2 * HOUR - HOUR / 12)
        assert "  2:05 h  " in run()[0]

    def test_calls_a_table_that_nobody_may_read_no_table_that_lacks(self, make_link):
        make_link()
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL ROLE pg_signal_backend")
        with pytest.raises(ProgrammingError):
            run()

    def test_counts_several_links_as_such(self, make_link, make_registration):
        off = make_registration("Bay gateway", is_switched_on=False)
        make_link(off), make_link(off)
        assert "[ATTENTION] registration_switched_off: Bay gateway, 2 links" in run()[0]

    def test_promises_no_list_where_there_is_nothing_to_list(self, make_link):
        make_link()
        text, _code = run("--quiet")
        assert text.endswith(" UTC.\n")
        assert text.count("\n") == 1

    def test_says_the_findings_alone_where_it_is_to_be_quiet(self, ill):
        text, code = run("--quiet")
        assert code == 2
        assert "Refused gateway" in text
        assert "Harbor gateway" not in text

    def test_says_the_same_as_one_object(self, ill):
        text, code = run("--json")
        told = json.loads(text)
        assert (told["level"], told["exit_code"], code) == ("act", 2, 2)
        (finding,) = told["findings"]
        assert (finding["what"], finding["who"], finding["links"]) == ("registration_in_trouble", "operator", 1)
        refused = next(one for one in told["registrations"] if one["id"] == str(ill.pk))
        assert (refused["refreshing_in_12_hours"], refused["due"]) == (1, 1)
        assert refused["by_status"] == {"active": 1}
        assert told["site_certificate"] == {"outlook": "not_watched", "ends_at": None}

    @pytest.mark.parametrize("options", [(), ("--json",)])
    def test_says_nothing_of_anybody(self, options, ill):
        text, _code = run(*options)
        assert [canary for canary in CANARIES if canary in text] == []
