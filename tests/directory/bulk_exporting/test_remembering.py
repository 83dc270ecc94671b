"""Files of an export are recognized when the provider lists them again."""

import json
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.directory.bulk_exporting import NotExported, Reason, remembering
from apps.directory.bulk_exporting.remembering import Job, Wish, keyed, listings
from apps.wire.bulk.manifest import FileList, ListedFile, Manifest

AT = "2026-11-20T09:40:00Z"
WISH = Wish("https://fhir.example.org/r4", "everyone", ("Patient",), "2026-01-01T00:00:00Z")


def listed(*urls, kind=FileList.OUTPUT, name="Patient", count=3):
    return tuple(ListedFile(kind, name, url, count) for url in urls)


FILES = st.lists(
    st.builds(
        ListedFile,
        st.sampled_from(FileList),
        st.sampled_from(["Patient", "Condition"]),
        st.from_regex(r"https://[ab]\.example/[xy]{1,3}(\?s=[0-9])?", fullmatch=True),
        st.none() | st.integers(0, 5),
    ),
    max_size=8,
    unique_by=lambda file: file.url,
)


class TestAJob:
    @given(FILES)
    def test_is_the_same_after_it_was_kept(self, files):
        job = Job(WISH, "https://fhir.example.org/r4/jobs/1").listed(Manifest(AT, True, tuple(files)))
        assert Job.from_state(json.loads(json.dumps(job.to_state()))) == job

    @given(FILES)
    def test_gives_every_file_a_name_and_a_key_of_its_own(self, files):
        found = listings(files)
        assert len({one.name for one in found}) == len({one.key for one in found}) == len(files)
        assert list(keyed(files).items()) == list(zip([one.key for one in found], files, strict=True))

    @given(FILES, st.randoms(use_true_random=False))
    def test_finds_its_files_in_a_list_of_another_order(self, files, chance):
        job = Job(WISH).listed(Manifest(AT, True, tuple(files)))
        other = list(files)
        chance.shuffle(other)
        assert job.listed(Manifest(AT, True, tuple(other))) == job

    def test_looks_at_each_address_once_however_many_there_are(self, monkeypatch):
        """Ten thousand files would take a quarter of an hour otherwise."""
        looked: list[str] = []

        def look(url):
            looked.append(url)
            return urlsplit(url)

        monkeypatch.setattr(remembering, "urlsplit", look)
        urls = [f"https://a/{number}?s=1" for number in range(300)]
        listings(listed(*urls))
        assert looked == urls

    def test_names_files_by_their_kind_and_number(self):
        files = (
            *listed("https://a/1", "https://a/2"),
            *listed("https://a/3", kind=FileList.ERROR, name="OperationOutcome"),
        )
        names = [one.name for one in listings(files)]
        assert names == ["Patient.0001.ndjson", "Patient.0002.ndjson", "error.OperationOutcome.0001.ndjson"]

    def test_knows_files_that_are_signed_anew(self):
        job = Job(WISH).listed(Manifest(AT, False, listed("https://a/1?s=1", "https://a/2?s=1")))
        assert job.listed(Manifest(AT, False, listed("https://a/1?s=2", "https://a/2?s=2"))) == job

    @pytest.mark.parametrize(
        "later",
        [
            Manifest(AT, True, listed("https://a/1")),
            Manifest(AT, True, listed("https://a/1", "https://a/3")),
            Manifest(AT, True, listed("https://a/1", "https://a/2", count=4)),
            Manifest("2026-11-20T09:41:00Z", True, listed("https://a/1", "https://a/2")),
        ],
    )
    def test_mixes_nothing_with_another_list(self, later):
        job = Job(WISH).listed(Manifest(AT, True, listed("https://a/1", "https://a/2")))
        with pytest.raises(NotExported) as refused:
            job.listed(later)
        assert refused.value.reason is Reason.CHANGED

    def test_keeps_no_address_of_a_file(self):
        job = Job(WISH).listed(Manifest(AT, False, listed("https://a/1?signature=canary")))
        assert "canary" not in json.dumps(job.to_state())

    def test_gives_types_that_differ_in_capitals_alone_different_names_on_every_disk(self):
        files = (*listed("https://a/1", name="Patient"), *listed("https://a/2", name="PATIENT"))
        assert len({one.name.lower() for one in listings(files)}) == 2

    @pytest.mark.parametrize(
        "change",
        [
            {"name": "../Patient.0001.ndjson"},
            {"name": "/tmp/Patient.0001.ndjson"},
            {"name": "error./Patient.0001.ndjson"},
            {"name": "bulk-export.json"},
            {"name": ".whole"},
            {"name": "Patient.0001.ndjson\n"},
            {"name": ""},
            {"name": 7},
            {"name": "Patient.0002.ndjson"},
            {"key": "../key"},
            {"key": "f" * 63},
            {"count": -1},
            {"count": True},
            {"count": "3"},
        ],
    )
    def test_takes_no_name_from_its_folder_that_leads_elsewhere_or_over_another(self, change):
        state = Job(WISH).listed(Manifest(AT, True, listed("https://a/1", "https://a/2"))).to_state()
        Job.from_state(json.loads(json.dumps(state)))
        state["files"] = [{**state["files"][0], **change}, state["files"][1]]
        with pytest.raises(NotExported) as refused:
            Job.from_state(state)
        assert refused.value.reason is Reason.UNREADABLE_STATE

    @pytest.mark.parametrize("spoilt", [{}, {"wish": {}}, {"wish": None}, {"files": [{"a": 1}]}, {"files": 3}])
    def test_of_another_make_is_refused(self, spoilt):
        state = {**Job(WISH).to_state(), **spoilt} if spoilt else {}
        with pytest.raises(NotExported) as refused:
            Job.from_state(state)
        assert refused.value.reason is Reason.UNREADABLE_STATE
