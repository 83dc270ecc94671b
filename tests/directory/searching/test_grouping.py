"""Search results are grouped into providers as people think of them."""

import pytest
from django.test import Client

from apps.directory.models import Provider, ProviderPortal
from apps.directory.searching import candidates, finding
from apps.directory.searching.finding import FoundProvider
from tests.directory.conftest import AT
from tests.fixtures.consent import agree

pytestmark = pytest.mark.django_db


def found(query: str) -> tuple[FoundProvider, ...]:
    return finding.find(query, at=AT).found


def shown(query: str) -> list[tuple[str, list[str]]]:
    return [(one.provider.name, one.lines) for one in found(query)]


def listed(name: str, directory: str, **columns: str) -> Provider:
    return Provider.objects.create(directory=directory, directory_id=name, name=name, imported_at=AT, **columns)


class TestOneNameAndPlace:
    def test_is_one_row_with_the_choices_of_all_its_directories(self, make_endpoint):
        older, newer = listed("Billings Clinic", "old list"), listed("BILLINGS CLINIC", "new list")
        first = make_endpoint(older, version="dstu2")
        second = make_endpoint(newer, version="r4")
        (one,) = found("billings")
        assert [(choice.endpoint, choice.provider) for choice in one.choices] == [(second, newer), (first, older)]

    def test_is_written_in_two_ways(self):
        listed("Lee Health", "one", city="Fort Myers", state="FL")
        listed("Lee Health", "two", city="FORT MYERS", state="Florida")
        assert len(found("lee health")) == 1

    @pytest.mark.parametrize(
        "other",
        [{"city": "Akron", "state": "OH"}, {"city": "Salem", "state": "MA"}, {"city": ""}],
    )
    def test_is_not_that_of_another_place(self, other):
        listed("Mercy Clinic", "one", city="Salem", state="OR")
        listed("Mercy Clinic", "two", **other)
        assert len(found("mercy clinic")) == 2

    def test_is_told_apart_by_its_web_address_where_no_place_is_given(self):
        for directory, website in (("a", "https://one.org"), ("b", "https://www.one.org/x"), ("c", "https://two.org")):
            listed("Mercy Clinic", directory, website=website)
        assert len(found("mercy clinic")) == 2

    def test_never_unites_a_practice_provider_with_a_real_one(self, make_provider, make_endpoint):
        make_endpoint(listed("Mercy Clinic", "real"))
        make_endpoint(make_provider("Mercy Clinic", is_sandbox=True), host="practice.example.org", is_sandbox=True)
        assert [one.provider.is_sandbox for one in found("mercy clinic")] == [False, True]
        assert [len(one.choices) for one in found("mercy clinic")] == [1, 1]

    def test_shows_an_endpoint_once_that_two_directories_list(self, make_endpoint):
        endpoint = make_endpoint(listed("Mercy Clinic", "one"))
        endpoint.providers.add(listed("Mercy Clinic", "two"))
        (one,) = found("mercy clinic")
        assert [choice.endpoint for choice in one.choices] == [endpoint]

    def test_leaves_out_a_row_that_vanished(self, make_endpoint):
        make_endpoint(listed("Mercy Clinic", "one"))
        gone = listed("Mercy Clinic", "two")
        make_endpoint(gone, host="gone.example.org")
        gone.vanished_at = AT
        gone.save()
        (one,) = found("mercy clinic")
        assert len(one.choices) == 1

    def test_has_rows_without_end(self):
        rows = [
            Provider(
                directory=directory, directory_id=f"{number:03}", name="Mercy Clinic", city="Salem", state="OR",
                plain_name="mercy clinic", words=["mercy", "clinic", "salem", "or", "oregon"], imported_at=AT,
            )
            for directory, count in (("a long list", 300), ("z short list", 1))
            for number in range(count)
        ]  # fmt: skip
        Provider.objects.bulk_create(rows)
        ids = candidates.alike([candidates.of(rows[250])])
        assert len(ids) == candidates.MOST_ALIKE
        assert rows[250].pk in ids, "the one that was meant is left out"
        assert rows[300].pk in ids, "a long list crowds out a short one"
        assert finding.with_choices(rows[250], at=AT).is_cut

    def test_has_choices_without_end(self, make_provider, make_endpoint):
        provider = make_provider("Mercy Clinic")
        for number in range(finding.MOST_WAYS + 5):
            make_endpoint(provider, host=f"h{number}.example.org", registration=None)
        last = make_endpoint(provider, host="last.example.org")
        one = finding.with_choices(provider, at=AT)
        assert len(one.choices) == finding.MOST_WAYS
        assert [choice.endpoint for choice in one.linkable] == [last]
        assert one.is_cut

    def test_changes_no_row(self):
        for directory in ("one", "two"):
            listed("Mercy Clinic", directory)
        before = list(Provider.objects.order_by("pk").values())
        found("mercy clinic")
        assert list(Provider.objects.order_by("pk").values()) == before


class TestABrand:
    def test_has_a_row_of_its_own_on_an_endpoint_it_shares(self, make_provider, make_endpoint):
        endpoint = make_endpoint(make_provider("Harbor Eye"))
        endpoint.providers.add(make_provider("Harbor Skin"))
        assert [one.provider.name for one in found("harbor")] == ["Harbor Eye", "Harbor Skin"]

    def test_on_two_systems_is_one_row(self, make_provider, make_endpoint):
        brand = make_provider("Harbor Eye")
        make_endpoint(brand, host="one.example.org")
        make_endpoint(brand, host="two.example.org")
        (one,) = found("harbor eye")
        assert len(one.choices) == 2


@pytest.fixture
def system(make_provider, make_endpoint) -> Provider:
    made: Provider = make_provider("ExampleHealth", city="Madison", state="WI")
    make_endpoint(made)
    return made


class TestASiteOfASystem:
    def test_is_found_under_the_system_with_its_place(self, system, make_provider):
        Provider.objects.create(
            directory="tests", directory_id="a", name="ExampleHealth", city="Anamosa", state="Iowa", part_of=system,
            imported_at=AT,
        )  # fmt: skip
        assert shown("anamosa") == [("ExampleHealth", ["Anamosa, Iowa"])]
        assert shown("examplehealth anamosa") == [("ExampleHealth", ["Anamosa, Iowa"])]
        (one,) = found("anamosa")
        assert (one.provider, len(one.linkable)) == (system, 1)

    def test_is_named_where_its_name_is_another(self, system, make_provider):
        make_provider("Community Hospital", city="Lake City", state="IA", part_of=system)
        assert shown("community hospital") == [("ExampleHealth", ["Community Hospital · Lake City, IA"])]

    def test_is_not_named_where_the_system_was_meant(self, system, make_provider):
        make_provider("ExampleHealth Community Hospital", part_of=system)
        assert shown("examplehealth") == [("ExampleHealth", ["Madison, WI"])]

    def test_is_found_by_the_name_of_its_system(self, system, make_provider):
        make_provider("Community Hospital", part_of=system)
        assert shown("examplehealth community") == [("ExampleHealth", ["Community Hospital"])]

    def test_of_many_is_counted(self, system, make_provider):
        for number in range(5):
            make_provider(f"Lakeside {number}", part_of=system)
        (one,) = found("lakeside")
        assert one.lines == ["Lakeside 0", "Lakeside 1", "Lakeside 2", "and 2 more places"]

    def test_has_a_row_of_its_own_where_it_has_a_portal_of_its_own(self, system, make_provider, make_endpoint):
        site = make_provider("Community Hospital", part_of=system)
        make_endpoint(site, host="own.example.org")
        (one,) = found("community hospital")
        assert (one.provider, one.lines) == (site, ["Provider", "Part of ExampleHealth"])

    def test_is_under_the_system_where_it_has_the_same_portal(self, system, make_provider):
        make_provider("Community Hospital", part_of=system).endpoints.add(system.endpoints.get())
        assert shown("community hospital") == [("ExampleHealth", ["Community Hospital"])]

    def test_of_a_site_is_under_the_system_of_both(self, system, make_provider):
        group = make_provider("Lakeside Group", part_of=system)
        make_provider("Community Hospital", part_of=group)
        assert shown("community hospital") == [("ExampleHealth", ["Community Hospital"])]
        (one,) = found("community hospital")
        assert one.linkable

    def test_that_is_part_of_itself_is_found_all_the_same(self, make_provider):
        one = make_provider("Lakeside Group")
        other = make_provider("Community Hospital", part_of=one)
        Provider.objects.filter(pk=one.pk).update(part_of=other)
        assert found("community hospital")

    def test_stands_alone_where_its_system_vanished(self, system, make_provider):
        make_provider("Community Hospital", part_of=system)
        Provider.objects.filter(pk=system.pk).update(vanished_at=AT)
        (one,) = found("community hospital")
        assert (one.provider.name, one.explanation is not None) == ("Community Hospital", True)


def named(endpoint, name: str = "", url: str = "") -> None:
    portal = ProviderPortal.objects.get(endpoint=endpoint)
    portal.name, portal.url = name, url
    portal.save()


def labels(provider: Provider) -> list[str]:
    return [one.label for one in finding.with_choices(provider, at=AT).sign_ins]


class TestPortals:
    def test_are_told_apart_by_their_names(self, make_provider, make_endpoint):
        provider = make_provider("Harbor")
        for name in ("MyHarbor", "Harbor Connect"):
            for version in ("r4", "dstu2"):
                named(make_endpoint(provider, host=f"{name[0]}.example.org".lower(), version=version), name)
        assert labels(provider) == ["Harbor Connect", "MyHarbor"]
        assert [len(one.choices) for one in finding.with_choices(provider, at=AT).sign_ins] == [2, 2]

    def test_without_names_are_one_while_their_ways_differ(self, make_provider, make_endpoint):
        provider = make_provider("Harbor")
        for version in ("r4", "dstu2"):
            make_endpoint(provider, version=version)
        assert labels(provider) == [""]

    def test_are_several_where_one_signs_in_elsewhere(self, make_provider, make_endpoint):
        provider = make_provider("Harbor")
        make_endpoint(provider, host="one.example.org", version="r4")
        make_endpoint(provider, host="two.example.org", version="dstu2")
        assert labels(provider) == ["one.example.org", "two.example.org"]

    def test_are_several_where_tokens_are_issued_elsewhere(self, make_provider, make_endpoint):
        provider = make_provider("Harbor")
        make_endpoint(provider, version="r4")
        server = make_endpoint(provider, version="dstu2").authorization_server
        server.token_url = "https://elsewhere.example.org/token"
        server.save()
        assert len(labels(provider)) == 2

    def test_have_ways_of_which_nobody_knows_where_they_lead(self, make_provider, make_endpoint):
        provider = make_provider("Harbor")
        make_endpoint(provider, version="r4")
        make_endpoint(provider, version="dstu2", authorization_server=None, fhir_base_url="https://a.example.org/dstu2")
        (one,) = finding.with_choices(provider, at=AT).sign_ins
        assert (len(one.linkable), len(one.choices), one.host) == (1, 2, "fhir.example.org")

    def test_of_two_directories_are_never_one(self, make_endpoint):
        honest = listed("Maple Honest Clinic", "honest list", city="Salem", state="OR")
        rogue = listed("Maple  Honest-Clinic", "another list", city="SALEM", state="Oregon")
        named(make_endpoint(honest, version="dstu2"), "MyMaple")
        named(make_endpoint(rogue, version="r4"), "MyMaple")
        assert labels(honest) == [
            "MyMaple, on the list another list",
            "MyMaple, on the list honest list",
        ]

    def test_keep_an_endpoint_with_the_row_that_had_it_first(self, make_endpoint):
        honest, rogue = listed("Maple Clinic", "honest list"), listed("Maple Clinic", "another list")
        endpoint = make_endpoint(honest)
        endpoint.providers.add(rogue)
        ProviderPortal.objects.filter(provider=rogue).update(name="Sign in here")
        (choice,) = finding.with_choices(rogue, at=AT).choices
        assert (choice.provider, choice.portal_name) == (honest, "")

    def test_without_names_are_told_apart_by_their_hosts(self, make_provider, make_endpoint):
        provider = make_provider("Harbor")
        for host in ("one.example.org", "two.example.org"):
            for version in ("r4", "dstu2"):
                make_endpoint(provider, host=host, version=version)
        assert labels(provider) == ["one.example.org", "two.example.org"]

    @pytest.mark.parametrize(
        ("paths", "told"),
        [
            (["r4/aa", "r4/bb"], ["aa", "bb"]),
            (["aa/portal", "bb/portal"], ["aa/portal", "bb/portal"]),
            (["r4", "r4b"], ["number 1", "number 2"]),
        ],
    )
    def test_on_one_host_are_told_apart_by_their_paths_or_else_by_numbers(
        self, make_provider, make_endpoint, paths, told
    ):
        provider = make_provider("Harbor")
        for number, path in enumerate(paths):
            base_url = f"https://api.example.org/{path}"
            server = make_endpoint(provider, host=f"{number}.example.org", fhir_base_url=base_url).authorization_server
            server.authorize_url, server.token_url = (f"https://fhir.example.org/{number}/{end}" for end in "at")
            server.save()
        assert labels(provider) == [f"fhir.example.org ({one})" for one in told]

    def test_of_one_tenant_in_two_versions_are_one(self, make_provider, make_endpoint):
        provider = make_provider("Harbor")
        for tenant in ("aa", "bb"):
            for version in ("r4", "dstu2"):
                endpoint = make_endpoint(provider, host=f"{tenant}.example.org", version=version)
                endpoint.fhir_base_url = f"https://fhir.example.org/{version}/{tenant}"
                endpoint.save()
        sign_ins = finding.with_choices(provider, at=AT).sign_ins
        assert [[choice.endpoint.fhir_version for choice in one.choices] for one in sign_ins] == [["r4", "dstu2"]] * 2

    def test_under_one_name_are_told_apart_by_their_hosts_as_well(self, make_provider, make_endpoint):
        provider = make_provider("Harbor")
        for host in ("one.example.org", "two.example.org"):
            named(make_endpoint(provider, host=host), "MyChart")
        assert labels(provider) == ["MyChart, one.example.org", "MyChart, two.example.org"]

    def test_with_long_names_alike_are_told_apart_by_what_is_short(self, make_provider, make_endpoint):
        provider = make_provider("Harbor")
        for host in ("one.example.org", "two.example.org"):
            named(make_endpoint(provider, host=host), f"{'My Harbor ' * 18} {host}")
        assert [label[-18:] for label in labels(provider)] == ["…, one.example.org"[-18:], "…, two.example.org"[-18:]]
        assert max(map(len, labels(provider))) < 80

    def test_that_can_be_linked_come_first(self, make_provider, make_endpoint):
        provider = make_provider("Harbor")
        named(make_endpoint(provider, host="a.example.org", registration={"status": "requested"}), "A")
        named(make_endpoint(provider, host="b.example.org"), "B")
        assert labels(provider) == ["B", "A"]


class TestChoosingAPortal:
    @pytest.fixture
    def patient(self, alice) -> Client:
        agree(alice, at=AT)
        client = Client()
        client.force_login(alice, backend="allauth.account.auth_backends.AuthenticationBackend")
        return client

    @pytest.fixture
    def provider(self, make_provider, make_endpoint) -> Provider:
        made: Provider = make_provider("Harbor")
        named(make_endpoint(made, host="one.example.org"), "MyHarbor", "https://my.harbor.example/")
        named(make_endpoint(made, host="two.example.org"), "Harbor Connect")
        named(make_endpoint(made, host="two.example.org", version="dstu2"), "Harbor Connect")
        named(make_endpoint(made, host="three.example.org", registration=None), "Old Harbor")
        return made

    def test_comes_before_the_version(self, patient, provider):
        page = patient.get(f"/providers/{provider.pk}/").content.decode()
        assert "Where do you sign in?" in page
        assert "Which way?" not in page
        assert "<strong>Old Harbor:</strong>" in page

    def test_says_where_one_really_signs_in_and_not_what_a_list_says_of_it(self, patient, provider):
        page = patient.get(f"/providers/{provider.pk}/").content.decode()
        for host in ("one.example.org", "two.example.org"):
            assert f"You sign in at {host}" in page
        assert "my.harbor.example" not in page

    def test_chooses_none_beforehand(self, patient, provider):
        page = patient.get(f"/providers/{provider.pk}/").content.decode()
        assert " checked" not in page
        assert page.count("required") == page.count('type="radio"') == 2

    def test_is_asked_of_what_two_directories_list(self, patient, make_endpoint):
        honest = listed("Maple Honest Clinic", "honest list", city="Salem", state="OR")
        rogue = listed("Maple  Honest-Clinic", "another list", city="SALEM", state="Oregon")
        make_endpoint(honest, host="honest.example.org", version="dstu2")
        make_endpoint(rogue, host="rogue.example.org", version="r4")
        page = patient.get(f"/providers/{honest.pk}/").content.decode()
        assert "Where do you sign in?" in page
        assert "same sign-in" not in page
        assert " checked" not in page

    def test_ends_somewhere_and_says_so(self, patient, make_provider, make_endpoint):
        provider = make_provider("Harbor")
        for number in range(21):
            make_endpoint(provider, host=f"h{number}.example.org")
        page = patient.get(f"/providers/{provider.pk}/").content.decode()
        assert page.count('type="radio"') == 20
        assert "There are more than we can show here." in page

    def test_leads_to_the_version_where_there_are_two(self, patient, provider):
        key = finding.with_choices(provider, at=AT).sign_ins[0].key
        page = patient.get(f"/providers/{provider.pk}/", {"portal": key}).content.decode()
        assert "Which way?" in page
        assert f'<input type="hidden" name="portal" value="{key}">' in page
        assert "You sign in at two.example.org" in page
        assert "one.example.org" not in page

    def test_leads_on_where_there_is_one(self, patient, provider):
        sign_in = finding.with_choices(provider, at=AT).sign_ins[1]
        answer = patient.get(f"/providers/{provider.pk}/", {"portal": sign_in.key})
        assert answer["Location"] == f"/connect/{provider.pk}/{sign_in.key}/"

    def test_leads_to_the_row_that_has_the_endpoint(self, patient, provider, make_endpoint):
        twin = listed("Harbor", "another list")
        endpoint = make_endpoint(twin, host="four.example.org")
        named(endpoint, "Harbor Four")
        answer = patient.get(f"/providers/{provider.pk}/", {"portal": str(endpoint.pk)})
        assert answer["Location"] == f"/connect/{twin.pk}/{endpoint.pk}/"

    @pytest.mark.parametrize("key", ["x", "00000000-0000-0000-0000-000000000000"])
    def test_asks_again_for_one_that_is_none(self, patient, provider, key):
        assert "Where do you sign in?" in patient.get(f"/providers/{provider.pk}/?portal={key}").content.decode()
