"""`list_connections` prints the links that match its options, and of their users only the id."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.connections.link_rows import NOW

CANARIES = ("canary", "alice@example.org", "Alice")


def run(*options):
    """What it prints, and what it says beside."""
    printed, said = io.StringIO(), io.StringIO()
    call_command("list_connections", *options, stdout=printed, stderr=said)
    return printed.getvalue(), said.getvalue()


class TestListConnections:
    def test_prints_a_line_for_each_below_what_its_columns_are(self, make_link):
        link = make_link(refresh_due_at=NOW, refresh_deadline_at=NOW)
        head, line = run()[0].splitlines()
        assert head.split()[:3] == ["connection", "status", "reason"]
        assert line.split()[:4] == [str(link.pk), "active", "-", "2026-05-03"]
        assert line.endswith("Harbor Practice")

    def test_prints_nothing_where_there_is_none_and_says_so(self, make_link):
        assert run() == ("", "There are no links.\n")
        make_link()
        assert run("--status", "ended", "--json") == ("", "No link is like that.\n")
        assert run("--lapsing-within", "0") == ("", "No link is like that.\n")

    def test_says_how_to_go_on(self, make_link):
        first, second = sorted(make_link().pk for _ in range(2))
        text, said = run("--limit", "1", "--json")
        assert json.loads(text)["id"] == str(first)
        assert f"--after {first}" in said
        text, said = run("--after", str(first), "--json")
        assert json.loads(text)["id"] == str(second)
        assert said == ""

    def test_prints_all_without_a_limit(self, make_link):
        for _ in range(3):
            make_link()
        text, said = run("--limit", "0", "--json")
        assert (len(text.splitlines()), said) == (3, "")

    def test_finds_a_registration_and_a_provider_by_name_or_id(self, make_link, make_registration):
        link = make_link(make_registration("Bay gateway"))
        make_link()
        for asked in (
            ("--registration", "bay gateway"),
            ("--registration", str(link.registration_id)),
            ("--registration", "Bay gateway", "--provider", "HARBOR practice"),
            ("--registration", "Bay gateway", "--provider", str(link.provider_id)),
            ("--registration", "Bay gateway", "--user", str(link.user_id), "--status", "active"),
        ):
            assert [json.loads(line)["id"] for line in run(*asked, "--json")[0].splitlines()] == [str(link.pk)]

    @pytest.mark.parametrize("asked", ["Nowhere", "00000000-0000-4000-8000-000000000000", ""])
    def test_refuses_what_is_not_there(self, asked, db):
        with pytest.raises(CommandError, match="There is no client registration"):
            run("--registration", asked)

    @pytest.mark.parametrize(
        ("asked", "words"),
        [
            (("--user", "x"), "invalid UUID value: 'x'"),
            (("--after", "x"), "invalid UUID value: 'x'"),
            (("--limit=-3",), "not a whole number, or below zero"),
            (("--lapsing-within=-1",), "not a whole number, or below zero"),
            (("--lapsing-within=99999999999",), "more than there can be"),
        ],
    )
    def test_refuses_what_cannot_be_meant(self, asked, words, db):
        with pytest.raises(CommandError, match=words):
            run(*asked)

    def test_refuses_a_name_that_several_have(self, make_registration):
        make_registration("Twin")
        make_registration("twin")
        with pytest.raises(CommandError, match="Several are called so"):
            run("--registration", "Twin")

    @pytest.mark.parametrize("options", [(), ("--json",)])
    def test_says_nothing_of_anybody(self, options, make_link):
        make_link(lapses_at=NOW, reason="window_over", status="needs_reauthorization")
        text, said = run(*options)
        assert "window_over" in text
        assert [canary for canary in CANARIES if canary in text + said] == []
