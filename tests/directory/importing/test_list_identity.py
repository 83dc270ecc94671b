"""A directory belongs to its list: another list under the same name changes and removes nothing."""

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from apps.audit.models import AuditEvent
from apps.directory.importing.list_identity import AnotherList, as_fact
from apps.directory.models import Endpoint, Provider, PublishedList
from tests.directory.conftest import AT
from tests.directory.importing.lists import endpoint, import_json, import_rows, row

pytestmark = pytest.mark.django_db


def vendor(name, *, ids="", number=20):
    """Rows of one vendor, each with an endpoint of its own."""
    return [
        row(id=f"{ids or name}{each}", endpoints=[endpoint(fhir_base_url=f"https://{name}.example.org/{each}")])
        for each in range(number)
    ]


def is_as(name):
    """Whether the directory is what this vendor listed, all of it."""
    urls = Endpoint.objects.filter(vanished_at__isnull=True).values_list("fhir_base_url", flat=True)
    held = Provider.objects.filter(vanished_at__isnull=True).count()
    return held == len(urls) and all(url.startswith(f"https://{name}.") for url in urls)


@pytest.fixture
def write(tmp_path):
    def write(path, *rows, **fields):
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"format": "holdfast-directory/1", **fields, "providers": rows}))
        return str(file)

    return write


def run(*arguments):
    out, err = io.StringIO(), io.StringIO()
    call_command("import_endpoints", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


class TestAnotherListOfTheSameName:
    def test_is_refused_and_stores_nothing(self):
        import_rows(*vendor("one"))
        with pytest.raises(AnotherList, match='"ours" holds another list: of its 20 providers this one has 0'):
            import_rows(*vendor("two"))
        assert is_as("one")

    def test_is_refused_where_its_ids_are_the_same_by_chance(self):
        import_rows(*vendor("one", ids="id"))
        with pytest.raises(AnotherList, match="of their 20 endpoints 0"):
            import_rows(*vendor("two", ids="id"))
        assert is_as("one")

    @pytest.mark.parametrize("number", [1, 9])
    def test_is_refused_where_both_are_small(self, number):
        import_rows(*vendor("one", number=number))
        with pytest.raises(AnotherList):
            import_rows(*vendor("two", number=number))
        assert is_as("one")

    def test_is_refused_where_it_is_larger_and_has_a_few_rows_in_common(self):
        import_rows(*vendor("one"))
        with pytest.raises(AnotherList, match="this one has 9"):
            import_rows(*vendor("one", number=9), *vendor("two", number=60))
        assert is_as("one")

    def test_replaces_the_other_where_staff_say_so(self):
        import_rows(*vendor("one"))
        assert import_rows(*vendor("two"), accepts_shrinking=True).vanished == 40
        assert is_as("two")


class TestTheSameList:
    def test_may_grow_and_lose_half(self):
        import_rows(*vendor("one"))
        report = import_rows(*vendor("one", number=10), *vendor("more", number=40), at=AT + timedelta(days=1))
        assert (report.vanished, report.spared) == (20, 0)

    def test_that_was_cut_takes_nothing_away(self):
        import_rows(*vendor("one"))
        report = import_rows(*vendor("one", number=9))
        assert (report.vanished, report.spared) == (0, 22)
        assert is_as("one")

    def test_may_lose_its_rows_one_after_the_other_where_it_is_small(self):
        import_rows(*vendor("one", number=9))
        assert import_rows(*vendor("one", number=1)).vanished == 16


class TestSandboxRows:
    PRACTICE = row(is_sandbox=True)

    def test_never_come_into_a_directory_of_others(self):
        import_rows(row())
        with pytest.raises(AnotherList, match="holds no practice providers"):
            import_rows(row(), row(id="practice", is_sandbox=True, endpoints=[]))
        assert not Provider.objects.filter(is_sandbox=True).exists()

    @pytest.mark.parametrize("accepts", [False, True])
    def test_are_never_changed_by_a_list_of_others(self, accepts):
        import_rows(self.PRACTICE, name="sandbox")
        with pytest.raises(AnotherList, match="holds practice providers of the sandbox"):
            import_rows(row(name="Theirs", endpoints=[]), name="sandbox", accepts_shrinking=accepts)
        assert Provider.objects.get().is_sandbox


class TestPublishedLists:
    def test_of_another_publisher_take_nothing_away(self):
        lines = [{"FormatType": "x", "URL": f"https://v{n}.example.org/", "EndpointName": f"V{n}"} for n in range(8)]
        import_json(lines[:5])
        assert import_json(lines[5:]).spared == 5
        assert not PublishedList.objects.filter(vanished_at__isnull=False).exists()


class TestTheCommand:
    def test_refuses_two_files_that_would_be_one_directory(self, write):
        paths = [write("v1/endpoints.json", *vendor("one")), write("v2/endpoints.json", *vendor("two"))]
        with pytest.raises(CommandError) as refused:
            run(*paths)
        assert refused.value.returncode == 1
        assert all(path in str(refused.value) for path in paths)
        assert "--directory" in str(refused.value)
        assert not Provider.objects.exists()

    def test_refuses_two_files_that_call_themselves_alike(self, write):
        with pytest.raises(CommandError, match='the directory "acme"'):
            run(write("a.json", *vendor("one"), name="acme"), write("b.json", *vendor("two"), name="acme"))
        assert not Provider.objects.exists()

    def test_joins_two_files_that_are_said_to_be_one_directory(self, write):
        paths = [write("v1/endpoints.json", *vendor("one")), write("v2/endpoints.json", *vendor("two"))]
        assert run(*paths, "--directory", "both")[0].startswith('endpoints.json, endpoints.json: directory "both", 40')
        assert set(Provider.objects.values_list("directory", flat=True)) == {"both"}

    def test_names_the_directory_and_what_to_do_where_it_holds_another_list(self, write):
        run(write("v1/endpoints.json", *vendor("one")))
        with pytest.raises(CommandError) as refused:
            run(write("v2/endpoints.json", *vendor("two")))
        assert refused.value.returncode == 1
        assert 'the directory "endpoints"' in str(refused.value)
        assert "another name with --directory" in str(refused.value)
        assert "--accept-shrinking" in str(refused.value)

    def test_does_not_offer_to_mix_the_sandbox_with_others(self, write):
        run(write("a.json", row(is_sandbox=True), name="sandbox"))
        with pytest.raises(CommandError) as refused:
            run(write("vendor-update.json", row(), name="sandbox"))
        assert "--accept-shrinking" not in str(refused.value)
        assert Provider.objects.get().is_sandbox

    def test_says_which_directory_it_stored(self, write):
        out, _err = run(write("update.json", *vendor("one"), name="Acme, the vendor"))
        assert out.startswith('directory "Acme, the vendor", 20 providers')
        facts = AuditEvent.objects.get().facts
        assert facts["directory"] == as_fact("Acme, the vendor")


class TestTheNameInAnAuditEvent:
    def test_is_itself_where_it_can_be(self):
        assert as_fact("Acme 2: lists/r4") == "Acme 2: lists/r4"

    def test_stays_different_from_others(self):
        facts = {as_fact(name) for name in ("Acmé", "Acmè", "a" * 120, "a" * 119, "日本")}
        assert len(facts) == 5
        assert all(len(fact) <= 64 and fact.isascii() for fact in facts)
