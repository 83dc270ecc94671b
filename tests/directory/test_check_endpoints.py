"""`check_endpoints`: which endpoints it checks, what it prints, and its exit code."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.directory.models import Endpoint, EndpointCheck
from apps.directory.monitoring import checking
from tests.directory.test_checking import statement
from tests.wire.servers import http, serving

pytestmark = pytest.mark.django_db


@pytest.fixture
def servers(make_provider, make_endpoint):
    """Two endpoints: one that is well, and one that is ill."""
    with serving(http(200, statement())) as well, serving(http(404)) as ill:
        for name, server in (("well", well), ("ill", ill)):
            url = server.url(f"/{name}")
            addresses = {"authorize_url": f"{url}/a", "token_url": f"{url}/t"}
            endpoint = make_endpoint(make_provider(name), host=f"{name}.example", fhir_base_url=url)
            type(endpoint.authorization_server).objects.filter(pk=endpoint.authorization_server.pk).update(**addresses)
        yield well, ill


def run(*arguments: str) -> tuple[list[str], str, int]:
    """What it printed, line by line, what went to standard error, and how it ended."""
    out, err = StringIO(), StringIO()
    try:
        call_command("check_endpoints", *arguments, stdout=out, stderr=err)
    except CommandError as failure:
        return out.getvalue().splitlines(), err.getvalue(), failure.returncode
    return out.getvalue().splitlines(), err.getvalue(), 0


class TestTheCommand:
    def test_prints_one_line_for_each_and_a_summary_and_ends_with_1_where_one_is_ill(self, servers):
        well, ill = (server.url(path) for server, path in zip(servers, ("/well", "/ill"), strict=True))
        lines, _err, ended = run("--all")
        assert sorted(lines[:2]) == [
            f"ill {ill} It has no capability statement that can be read.",
            f"well {well} Millennium 1",
        ]
        assert (lines[2:], ended) == (["2 checked: 1 well, 1 ill"], 1)

    def test_checks_one(self, servers):
        lines, _err, ended = run(servers[0].url("/well"))
        assert (len(lines), ended) == (2, 0)
        assert EndpointCheck.objects.get().endpoint.fhir_base_url == servers[0].url("/well")

    def test_checks_none_where_the_name_is_empty(self, servers):
        """As of a variable that is not set: that names none, and not all."""
        with pytest.raises(CommandError, match="no endpoint of this address or name"):
            call_command("check_endpoints", "")
        assert not EndpointCheck.objects.exists()

    def test_says_what_changed_since_the_last_time(self, servers):
        run("--all")
        servers[0].answer = lambda _request: [http(200, statement(software="Soarian"))]
        lines, _err, _ended = run(servers[0].url("/well"))
        assert "Its software is now Soarian 1. It was Millennium 1." in lines[0]

    def test_checks_those_not_checked_for_a_day(self, servers):
        run(servers[0].url("/well"))
        assert run("--stale")[0][-1] == "1 checked: 0 well, 1 ill"
        EndpointCheck.objects.update(checked_at=timezone.now() - timedelta(days=1))
        assert run("--stale")[0][-1] == "2 checked: 1 well, 1 ill"

    def test_draws_a_sample(self, servers):
        assert run("--sample", "1")[0][-1].startswith("1 checked")
        assert run("--sample", "0") == (["0 checked: 0 well, 0 ill"], "", 0)
        with pytest.raises(CommandError, match="not a whole number, or below zero"):
            call_command("check_endpoints", "--sample=-3")
        with pytest.raises(CommandError, match="more than there can be"):
            call_command("check_endpoints", "--sample", "9" * 30)

    def test_leaves_out_what_is_on_no_list_any_more(self, servers):
        Endpoint.objects.update(vanished_at=timezone.now())
        assert run("--all")[0] == ["0 checked: 0 well, 0 ill"]
        assert run(servers[0].url("/well"))[0][-1] == "1 checked: 1 well, 0 ill"

    def test_prints_an_object_a_line_for_machines(self, servers):
        lines, err, ended = run("--all", "--json")
        objects = {found["endpoint"]: found for found in map(json.loads, lines)}
        well, ill = objects[servers[0].url("/well")], objects[servers[1].url("/ill")]
        assert (well["outcome"], well["types"], well["fhir_version"]) == ("well", ["Goal", "Patient"], "r4")
        assert (ill["outcome"], ill["faults"]) == ("ill", ["no_metadata"])
        assert (err.strip(), ended) == ("2 checked: 1 well, 1 ill", 1)

    @pytest.mark.parametrize("arguments", [(), ("--all", "--stale"), ("http://127.0.0.1:1/nobody",)])
    def test_refuses_what_names_nothing(self, arguments, db):
        with pytest.raises(CommandError):
            call_command("check_endpoints", *arguments)


class TestTheSandbox:
    def test_is_well_at_every_endpoint_of_both_interfaces(self, sandbox, directory_file):
        call_command("import_endpoints", directory_file, stdout=StringIO())
        lines, _err, ended = run("--all", "--json")
        found = [json.loads(line) for line in lines]
        assert [(row["endpoint"], row["faults"]) for row in found if row["outcome"] == "ill"] == []
        assert ended == 0
        assert {row["fhir_version"] for row in found} == {"dstu2", "r4"}
        assert all("Patient" in row["types"] for row in found)
        assert all(row["software"] for row in found)
        assert run("--stale")[0] == ["Nothing is stale, and nobody was asked. --all checks every one."]

    @pytest.mark.parametrize(
        ("kind", "faults"),
        [
            ("throttled", ["no_answer"]),
            ("error", ["no_answer"]),
            ("unavailable", ["no_answer"]),
            ("lost", ["no_answer"]),
            ("cut", ["no_metadata"]),
            ("redirect", ["redirected"]),
            ("html", ["no_metadata"]),
            ("empty", ["no_metadata"]),
            ("wrong-type", []),
        ],
    )
    def test_is_called_what_it_is_when_it_misbehaves(self, kind, faults, sandbox, directory_file):
        call_command("import_endpoints", directory_file, stdout=StringIO())
        endpoint = Endpoint.objects.filter(interface="patient-access", fhir_version="r4").earliest("pk")
        sandbox.post("/control/faults", route="metadata", kind=kind, count=1)
        assert checking.check(endpoint, at=timezone.now()).faults == faults
        assert checking.check(endpoint, at=timezone.now()).faults == []
