"""Lists in other formats fill the same tables, and hostile ones do no harm."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from apps.directory.models import AuthorizationServer, Endpoint, Provider, ProviderPortal, PublishedList
from tests.directory.conftest import AT
from tests.directory.importing.lists import endpoint, import_content, import_json, import_rows, row

pytestmark = pytest.mark.django_db

TABLES = (Provider, Endpoint, AuthorizationServer, ProviderPortal, PublishedList)


def versions() -> list[Any]:
    """Each row with the transaction that wrote it."""
    found = []
    for table in TABLES:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT xmin, ctid, * FROM {table._meta.db_table} ORDER BY id")
            found += cursor.fetchall()
    return found


def bundle(*resources: dict[str, Any]) -> dict[str, Any]:
    return {"resourceType": "Bundle", "entry": [{"resource": resource} for resource in resources]}


def fhir_endpoint(logical_id: str, **changes: Any) -> dict[str, Any]:
    address = f"https://fhir.harbor.example/{logical_id}/r4"
    return {"resourceType": "Endpoint", "id": logical_id, "status": "active", "address": address, **changes}


def organization(logical_id: str, **changes: Any) -> dict[str, Any]:
    return {"resourceType": "Organization", "id": logical_id, "name": f"Clinic {logical_id}", **changes}


class TestPublishedData:
    @pytest.mark.parametrize("folder", ["brands", "endpoints"])
    def test_is_imported_and_a_second_time_writes_nothing(self, fhir_examples, folder):
        paths = sorted(fhir_examples.joinpath(folder).iterdir())
        for path in paths:
            report = import_content(path.read_bytes(), name=path.name)
            assert report.refused == (1 if path.name == "epic-dstu2-endpoint-bundle.json.gz" else 0)
            assert report.providers + report.published_lists
        before = versions()
        for path in paths:
            report = import_content(path.read_bytes(), name=path.name, at=AT + timedelta(days=1))
            assert report.written == 0
        assert versions() == before

    def test_tells_regions_of_one_id_apart_by_their_names(self, fhir_examples):
        path = fhir_examples / "endpoints" / "epic-dstu2-endpoint-bundle.json.gz"
        import_content(path.read_bytes())
        names = set(Provider.objects.filter(name__startswith="Kaiser").values_list("name", flat=True))
        assert {"Kaiser Permanente \u2013 Georgia", "Kaiser Permanente Hawaii / Maui Health System"} <= names

    def test_joins_two_lists_of_one_vendor_into_one_directory(self, fhir_examples):
        names = ("epic-dstu2-endpoint-bundle.json.gz", "epic-r4-endpoint-bundle-2021.json.gz")
        import_content(*(fhir_examples.joinpath("endpoints", name).read_bytes() for name in names))
        georgia = Provider.objects.get(name="Kaiser Permanente \u2013 Georgia")
        assert set(georgia.endpoints.values_list("fhir_version", flat=True)) == {"dstu2", "r4"}


class TestABrand:
    def test_has_sites_that_lend_from_it_whatever_comes_first(self):
        import_json(
            bundle(
                organization("site", partOf={"reference": "Organization/brand"}),
                fhir_endpoint("e"),
                organization("brand", name="Harbor Health", endpoint=[{"reference": "Endpoint/e"}]),
            )
        )
        site = Provider.objects.get(directory_id="site")
        assert site.part_of is not None
        assert site.part_of.endpoints.count() == 1
        before = list(site.words)
        site.save()  # works out the words by itself
        assert (site.words, "harbor" in before) == (before, True)

    @pytest.mark.parametrize("circle", [["a"], ["a", "b"], ["a", "b", "c"]])
    def test_that_is_part_of_itself_is_part_of_nothing(self, circle):
        above = [*circle[1:], circle[0]]
        rows = [
            organization(one, partOf={"reference": f"Organization/{up}"}) for one, up in zip(circle, above, strict=True)
        ]
        report = import_json(bundle(*rows, organization("tail", partOf={"reference": "Organization/a"})))
        assert "part of itself" in report.refusals[0].reason
        assert not Provider.objects.filter(directory_id__in=circle, part_of__isnull=False).exists()
        assert Provider.objects.count() == len(circle) + 1

    def test_gives_way_to_nobody_where_an_endpoint_has_only_a_name(self):
        import_json(bundle(fhir_endpoint("e", name="Lonely Clinic"), fhir_endpoint("f", name="API of Clinic o"),
                           organization("o", endpoint=[{"reference": "Endpoint/f"}])))  # fmt: skip
        assert set(Provider.objects.values_list("name", flat=True)) == {"Lonely Clinic", "Clinic o"}


class TestAnAddress:
    def test_is_one_endpoint_however_it_is_spelled(self):
        spellings = [
            "https://FHIR.Harbor.example/r4",
            "https://fhir.harbor.example/r4/",
            "https://fhir.harbor.example/r4",
        ]
        import_json([{"name": f"Clinic {number}", "url": url} for number, url in enumerate(spellings)])
        one = Endpoint.objects.get()
        assert one.fhir_base_url == spellings[0]
        assert one.providers.count() == 3
        assert import_json([{"name": "Clinic 9", "url": spellings[1]}], name="theirs").endpoints_new == 0

    def test_that_its_list_puts_out_of_use_is_no_longer_an_organizations(self):
        both = organization("o", endpoint=[{"reference": "Endpoint/e"}, {"reference": "Endpoint/f"}])
        import_json(bundle(both, fhir_endpoint("e"), fhir_endpoint("f")))
        report = import_json(bundle(both, fhir_endpoint("e", status="off"), fhir_endpoint("f")))
        assert (report.inactive, report.vanished, report.refused) == (1, 1, 0)
        assert [one.fhir_base_url for one in Provider.objects.get().endpoints.all()] == [fhir_endpoint("f")["address"]]

    def test_of_another_path_is_another(self):
        urls = ["https://h.harbor.example/r4", "https://h.harbor.example/R4", "https://h.harbor.example/r4//"]
        import_json([{"name": f"Clinic {number}", "url": url} for number, url in enumerate(urls)])
        assert Endpoint.objects.count() == 3


class TestAnEndpointListedTwice:
    REASON = "an earlier row lists the same endpoint for the same provider"

    def test_of_one_provider_is_refused_the_second_time_with_its_place(self):
        again = endpoint(fhir_base_url="https://FHIR.harbor.example/r4/")
        report = import_rows(row(endpoints=[endpoint(), again]))
        assert [(refusal.where, refusal.reason) for refusal in report.refusals] == [
            ("provider 1, endpoint 2", self.REASON)
        ]
        assert (report.endpoints, ProviderPortal.objects.count()) == (1, 1)

    def test_changes_nothing_of_what_is_held(self):
        import_rows(row())
        report = import_rows(row(endpoints=[endpoint(), endpoint()]))
        assert (report.refused, report.written, Provider.objects.get().endpoints.count()) == (1, 0, 1)

    def test_by_a_bundle_or_a_plain_list_is_refused_too(self):
        both = organization("o", endpoint=[{"reference": "Endpoint/e"}, {"reference": "Endpoint/f"}])
        same = [fhir_endpoint(one, address="https://h.example.org/r4") for one in "ef"]
        report = import_json(bundle(both, *same))
        assert (report.reasons, report.endpoints) == ({self.REASON: 1}, 1)
        lines = [{"name": "Clinic", "url": "https://v.example.org/r4"}] * 3
        report = import_json(lines, name="theirs")
        assert (report.reasons, report.endpoints) == ({self.REASON: 2}, 1)

    def test_of_several_providers_is_refused_to_none(self):
        assert import_rows(row(), row(id="second", name="Second Practice")).refused == 0


class TestAShrunkenList:
    def test_switches_off_nobody_unless_staff_say_so(self):
        rows = [row(id=str(n), endpoints=[endpoint(fhir_base_url=f"https://h.example.org/{n}")]) for n in range(12)]
        import_rows(*rows)
        report = import_rows(*rows[:5])
        assert (report.vanished, report.spared) == (0, 14)
        assert not Provider.objects.filter(vanished_at__isnull=False).exists()
        assert import_rows(*rows[:5], accepts_shrinking=True).vanished == 14


class TestARehearsal:
    def test_says_what_would_be_and_stores_nothing(self):
        report = import_rows(row(), row(id=""), is_rehearsal=True)
        assert (report.providers_new, report.endpoints_new, report.refused) == (1, 1, 1)
        assert not any(table.objects.exists() for table in TABLES)


class TestTheListOfPublishedLists:
    LINES = [{"FormatType": "x", "URL": f"https://v{n}.example.org/", "EndpointName": f"V{n}"} for n in range(3)]

    def test_is_kept_for_staff(self):
        import_json(self.LINES)
        import_json(self.LINES[:2])
        assert list(PublishedList.objects.filter(vanished_at__isnull=True).values_list("name", flat=True)) == [
            "V0",
            "V1",
        ]


class TestAHostileList:
    def test_with_one_id_a_thousand_times_has_one_provider(self):
        report = import_rows(*[row()] * 1000)
        assert (report.providers, report.refused) == (1, 999)
        assert report.reasons == {"its id is that of an earlier row": 999}

    def test_with_scripts_marks_and_ten_thousand_aliases_is_text(self):
        script = "<script>alert(1)</script>\u202egnp.exe\x1b[31m\\N\\."
        import_rows(row(name=script, aliases=[f'"{n}\\' for n in range(10_000)], city="a\tb\\"))
        provider = Provider.objects.get()
        assert provider.name == "<script>alert(1)</script>gnp.exe [31m\\N\\."
        assert provider.city == "a b\\"
        assert (len(provider.aliases), provider.aliases[1]) == (100, '"1\\')

    def test_of_giant_names_and_deep_rows_names_each_with_its_reason(self):
        deep = b'{"id": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"
        giant = json.dumps(row(id="giant", name="x" * 1_100_000)).encode()
        long = json.dumps(row(id="long", name="x" * 300_000)).encode()
        rows = b", ".join([giant, deep, long, json.dumps(row(id="fine")).encode()])
        report = import_content(b'{"format": "holdfast-directory/1", "providers": [' + rows + b"]}")
        assert [refusal.reason for refusal in report.refusals] == [
            "it is longer than 1,000,000 characters",
            "it is nested too deeply",
            "name is longer than 200 characters",
        ]
        assert Provider.objects.get().directory_id == "fine"

    def test_says_no_more_than_a_thousand_lines(self):
        report = import_rows(*[7] * 3000)
        assert (len(report.refusals), report.refused) == (1000, 3000)
