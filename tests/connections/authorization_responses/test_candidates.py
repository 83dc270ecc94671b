"""The people whom a sign-in led to: what is read about them, and that it is sealed."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.connections.authorization_responses import candidates
from apps.connections.authorization_responses.candidates import Candidate
from apps.vault.errors import CannotOpen
from apps.wire.fhir import Resource

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = st.fixed_dictionaries({}, optional={"use": JSON, "text": JSON, "family": JSON, "given": JSON, "suffix": JSON})


def read(**elements):
    body = json.dumps({"resourceType": "Patient", "id": "p1", **elements}).encode()
    (candidate,) = candidates.read_candidates([Resource("Patient", "p1", body)])
    return candidate


class TestTheNameOfACandidate:
    @pytest.mark.parametrize(
        ("names", "shown"),
        [
            ([{"family": "Ng", "given": ["Mai", "Lin"]}], "Mai Lin Ng"),  # R4
            ([{"family": ["van", "Dyk"], "given": ["Jo"]}], "Jo van Dyk"),  # DSTU2
            ([{"text": "Jo van Dyk", "family": "Other"}], "Jo van Dyk"),
            ([{"use": "nickname", "given": ["JJ"]}, {"use": "official", "family": "Dyk"}], "Dyk"),
            ([{"use": "old", "family": "Was"}, {"use": "usual", "family": "Is"}], "Is"),
            ([{"family": "Dyk", "suffix": ["III"]}], "Dyk III"),
            ([{}, {"family": "Second"}], "Second"),
            ([{"family": "Tab\tNew\nline\x00\u202e"}], "Tab New line"),
            ([], ""),
            (None, ""),
            ("Jo", ""),
            ([["Jo"]], ""),
            ([{"family": 7, "given": {"a": 1}}], ""),
        ],
    )
    def test_is_what_was_sent_on_one_line(self, names, shown):
        assert read(name=names).name == shown

    def test_is_never_endless(self):
        assert len(read(name=[{"text": "x" * 10_000}]).name) == 200


class TestTheBirthDateOfACandidate:
    @pytest.mark.parametrize("date", ["1984", "1984-03", "1984-03-09"])
    def test_may_be_partial(self, date):
        assert read(birthDate=date).birth_date == date

    @pytest.mark.parametrize(
        "date", ["", "9.3.1984", "1984-3-9", "1984-03-09T00:00:00Z", "<b>1984</b>", 1984, None, []]
    )
    def test_that_is_none_is_left_empty(self, date):
        assert read(birthDate=date).birth_date == ""


class TestCandidates:
    def test_are_each_person_once(self):
        twice = [Resource("Patient", "p1", b"{}"), Resource("Patient", "p2", b"{}"), Resource("Patient", "p1", b"{}")]
        assert [one.patient_id for one in candidates.read_candidates(twice)] == ["p1", "p2"]

    @settings(max_examples=600)
    @given(names=st.lists(NAMES | JSON, max_size=3) | JSON, birth_date=JSON)
    def test_are_read_from_whatever_a_server_sends(self, names, birth_date):
        candidate = read(name=names, birthDate=birth_date)
        assert candidate.name.isprintable()
        candidate.name.encode()  # no lone surrogate: Postgres would refuse it

    @settings(max_examples=500)
    @given(body=st.binary(max_size=60))
    def test_are_read_from_a_body_that_is_no_json(self, body):
        (candidate,) = candidates.read_candidates([Resource("Patient", "p1", body)])
        assert candidate.patient_id == "p1"

    def test_do_not_show_in_a_log(self):
        assert "Ng" not in repr(read(name=[{"family": "Ng"}]))

    @pytest.mark.django_db
    def test_are_sealed_for_this_connection_alone(self, traveller, place):
        connection = traveller.link(place)
        sealed = bytes(connection.sealed_candidates)
        assert b"Quillfeather" not in sealed
        other = traveller.link(place)
        other.sealed_candidates = sealed
        with pytest.raises(CannotOpen):
            candidates.find(other)

    @pytest.mark.django_db
    def test_of_somewhat_longer_names_are_no_longer(self, traveller, place):
        connection = traveller.link(place)
        people = [Candidate("p1", name, "1984-03-09") for name in ("Li Wei Ng", "Wrenna Quillfeather")]
        assert len({len(candidates.seal_person(connection, person)) for person in people}) == 1


@pytest.mark.django_db
class TestPeople:
    def test_that_do_not_open_hide_nobody_else(self, traveller, place, make_place):
        good, bad = traveller.link(place), traveller.link(make_place("Other Practice"))
        good.sealed_person = candidates.seal_person(good, Candidate("p1", "Ng", ""))
        bad.sealed_person = good.sealed_person
        found = candidates.find_people(good.user_id, [bad, good])
        assert {connection_id: person.name for connection_id, person in found.items()} == {good.pk: "Ng"}

    def test_cost_one_unlocking(self, traveller, place, django_assert_num_queries):
        connection = traveller.link(place)
        connection.sealed_person = candidates.seal_person(connection, Candidate("p1", "Ng", ""))
        with django_assert_num_queries(1):
            candidates.find_people(connection.user_id, [connection, connection, connection])
