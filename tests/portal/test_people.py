"""People: whose records an account has, and from which providers."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.audit.models import AuditEvent, EventType
from apps.connections.models import Connection
from tests.connections.conftest import BACKEND
from tests.records.linked import AT, make_connection, make_endpoint
from tests.records.pages import main, page
from tests.records.people import allergy
from tests.records.several_people import CHILDS, HERS, is_of
from tests.records.shelved import keep

pytestmark = pytest.mark.django_db


@pytest.fixture
def own(alice):
    return make_connection(alice, make_endpoint())


@pytest.fixture
def childs(alice, own):
    endpoint = make_endpoint("https://other.example/r4")
    endpoint.providers.update(name="Bayside Hospital")
    connection = make_connection(alice, endpoint, last_checked_at=timezone.now())
    is_of(connection, CHILDS, "2019-01-02")
    return connection


def sections(text):
    """What stands under each heading."""
    found = re.split(r"<h2[^>]*>(.*?)</h2>", text)
    return {name.strip(): said for name, said in zip(found[1::2], found[2::2], strict=True)}


class TestPeople:
    def test_are_named_each_with_their_providers_and_how_these_stand(self, hers, own, childs):
        said = sections(main(hers, "people"))
        assert list(said) == [HERS, CHILDS, "Add someone you care for"]
        assert "Harbor Family Practice" in said[HERS]
        assert "not fully checked yet" in said[HERS]
        assert "Bayside" not in said[HERS]
        assert re.search("Bayside Hospital.* checked .*Connected", said[CHILDS])
        assert "Harbor" not in said[CHILDS]

    def test_lead_each_to_their_own_record_copy_share_and_card(self, hers, own, childs):
        for name, connection, other in ((HERS, own, CHILDS), (CHILDS, childs, HERS)):
            links = re.findall(r'href="(/(?:record|download|share)/[^"]*)"', sections(main(hers, "people"))[name])
            assert links == [
                f"{reverse('whole_record')}?of={connection.pk}",
                f"{reverse('download_copy')}?of={connection.pk}",
                f"{reverse('make_share')}?of={connection.pk}",
                f"{reverse('card_to_carry')}?of={connection.pk}",
            ]
            record = hers.get(links[0]).content.decode()
            assert name in record
            assert other not in record

    def test_are_called_as_other_pages_call_them(self, hers, own, childs):
        is_of(childs, HERS, "2019-01-02")
        said = sections(main(hers, "people"))
        names = [f"{HERS}, born March 9, 1984", f"{HERS}, born January 2, 2019"]
        assert list(said)[:2] == names
        assert all(name in page(hers, "home") for name in names)

    def test_are_one_where_two_providers_write_one_name_in_two_ways(self, hers, own, childs):
        is_of(childs, "QUILLFEATHER, Wrenna", "1984-03-09")
        name, *others = sections(main(hers, "people"))
        assert (name, others) == (HERS, ["Add someone you care for"])

    def test_are_each_by_themselves_where_nothing_of_one_opens(self, hers, own, childs):
        Connection.objects.filter(pk=childs.pk).update(sealed_person=b"x" * 64)
        assert list(sections(main(hers, "people")))[:2] == [HERS, "Name not given"]

    def test_can_be_one_alone(self, hers, own):
        said = sections(main(hers, "people"))
        assert list(said) == [HERS, "Add someone you care for"]
        assert hers.get(f"{reverse('whole_record')}?of={own.pk}").status_code == 200

    def test_are_nobody_before_the_first_is_confirmed(self, hers, alice):
        later = timezone.now() + timedelta(minutes=5)
        waiting = {"status": "awaiting_confirmation", "confirmed_at": None, "confirm_by_at": later}
        make_connection(alice, make_endpoint(), fhir_patient_id="", **waiting)
        said = main(hers, "people")
        assert "No providers yet." in said
        assert list(sections(said)) == ["Add someone you care for"]

    def test_are_in_spanish_for_whoever_reads_that(self, hers, own, childs):
        hers.cookies["django_language"] = "es"
        said = main(hers, "people")
        assert "Personas" in said
        assert "Quitar a esta persona" in said


class TestRemovingSomebody:
    def test_leads_to_the_end_of_each_connection_of_theirs(self, hers, own, childs):
        said = sections(main(hers, "people"))
        assert f'href="{reverse("disconnect", args=[own.pk])}"' in said[HERS]
        assert f'href="{reverse("disconnect", args=[childs.pk])}"' in said[CHILDS]

    def test_leads_to_deleting_what_is_left_of_one_that_has_ended(self, hers, own, childs):
        childs.disconnect(at=AT)
        said = sections(main(hers, "people"))
        there = reverse("delete_copy", args=[childs.pk])
        assert f'href="{there}"' in said[CHILDS]
        assert reverse("disconnect", args=[childs.pk]) not in said[CHILDS]
        assert hers.get(there).status_code == 302  # the password first


class TestThePage:
    def test_is_of_ones_own_alone(self, client, sam, own, childs):
        client.force_login(sam, backend=BACKEND)
        said = page(client, "people")
        for name in ("Quillfeather", "Harbor", "Bayside", str(own.pk)):
            assert name not in said

    def test_wants_somebody_signed_in(self, client, own):
        answer = client.get(reverse("people"))
        assert answer.status_code == 302
        assert reverse("account_login") in answer["Location"]

    def test_is_in_no_cache_and_takes_no_form(self, hers, own):
        assert "no-store" in hers.get(reverse("people"))["Cache-Control"]
        assert hers.post(reverse("people")).status_code == 405

    def test_has_no_fact_about_health_and_looks_at_no_record(self, hers, own, childs):
        keep(own, allergy("a1"))
        said = page(hers, "people")
        assert "Pteridine" not in said
        assert "1984" not in said
        assert not AuditEvent.objects.filter(event=EventType.RECORD_VIEWED).exists()

    def test_asks_as_much_whatever_there_is(self, hers, own, childs, alice, django_assert_max_num_queries):
        page(hers, "people")
        with django_assert_max_num_queries(9) as few:
            page(hers, "people")
        for number in range(5):
            is_of(make_connection(alice, childs.endpoint, fhir_patient_id=f"p{number}"), f"Pim {number}", "2020-01-02")
        with django_assert_max_num_queries(len(few.captured_queries)):
            page(hers, "people")

    def test_is_reached_from_settings_and_from_home_where_there_are_several(self, hers, own, alice):
        there = f'href="{reverse("people")}"'
        assert there in page(hers, "settings")
        assert there not in page(hers, "home")
        is_of(make_connection(alice, make_endpoint("https://other.example/r4")), CHILDS, "2019-01-02")
        assert there in page(hers, "home")
