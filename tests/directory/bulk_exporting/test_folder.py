"""The folder of an export: whose it is, what is remembered, and what is never half written."""

import errno
import json
import os
import stat

import pytest

from apps.directory.bulk_exporting import NotExported, Reason
from apps.directory.bulk_exporting.folder import PART, STATE, Partial, opened


@pytest.fixture
def path(tmp_path):
    return tmp_path / "output"


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def receive(folder, pieces, *, starts_at=0):
    with folder.part(starts_at=starts_at) as part:
        present = b"".join(part.present())
        for piece in pieces:
            part.write(piece)
    return present


class TestAFolder:
    def test_is_made_for_its_owner_alone_whatever_is_usual_here(self, path):
        before = os.umask(0)
        try:
            with opened(path) as folder:
                folder.keep({"a": 1})
                folder.note("key", '"v1"')
                receive(folder, [b"{}\n"])
                assert {mode(found) for found in path.iterdir()} == {0o600}
                folder.finish("Patient.0001.ndjson", "key")
        finally:
            os.umask(before)
        assert mode(path) == 0o700
        assert mode(path / "Patient.0001.ndjson") == 0o600

    def test_remembers_what_was_kept_last(self, path):
        with opened(path) as folder:
            assert folder.state() is None
            folder.keep({"a": 1})
            folder.keep({"a": 2})
        with opened(path) as folder:
            assert folder.state() == {"a": 2}
        assert sorted(found.name for found in path.iterdir()) == [STATE]

    def test_that_holds_something_else_is_not_touched(self, path):
        path.mkdir()
        (path / "letters.txt").write_text("mine")
        with pytest.raises(NotExported) as refused, opened(path):
            pass
        assert refused.value.reason is Reason.NOT_A_FOLDER
        assert [found.name for found in path.iterdir()] == ["letters.txt"]

    def test_that_is_a_file_is_refused(self, path):
        path.write_text("mine")
        with pytest.raises(NotExported) as refused, opened(path):
            pass
        assert refused.value.reason is Reason.NOT_A_FOLDER

    def test_whose_parent_is_not_there_is_refused(self, path):
        with pytest.raises(NotExported) as refused, opened(path / "below"):
            pass
        assert refused.value.reason is Reason.NOT_WRITABLE
        assert not path.exists()

    def test_is_of_one_process_at_a_time(self, path):
        with opened(path), pytest.raises(NotExported) as refused, opened(path):
            pass
        assert refused.value.reason is Reason.IN_USE
        with opened(path):
            pass

    @pytest.mark.parametrize("written", ["", "[]", "{", '"x"', "\x00"])
    def test_whose_memory_cannot_be_read_says_so(self, path, written):
        path.mkdir()
        (path / STATE).write_text(written)
        with opened(path) as folder, pytest.raises(NotExported) as refused:
            folder.state()
        assert refused.value.reason is Reason.UNREADABLE_STATE

    def test_follows_no_link_out_of_it(self, path, tmp_path):
        (tmp_path / "else").write_text("mine")
        with opened(path) as folder:
            (path / PART).symlink_to(tmp_path / "else")
            with pytest.raises(NotExported):
                receive(folder, [b"{}\n"])
        assert (tmp_path / "else").read_text() == "mine"


class TestAFileThatArrives:
    def test_is_taken_up_where_it_broke_off(self, path):
        with opened(path) as folder:
            folder.keep({"a": 1})
            folder.note("key", '"v1"')
            receive(folder, [b"12345"])
        with opened(path) as folder:
            assert folder.partial() == Partial("key", '"v1"', 5)
            assert receive(folder, [b"678"], starts_at=5) == b"12345"
            folder.finish("Patient.0001.ndjson", "key")
            assert (path / "Patient.0001.ndjson").read_bytes() == b"12345678"
            assert folder.partial() is None
            assert folder.has("Patient.0001.ndjson", "key")

    def test_is_cut_to_where_the_next_byte_belongs(self, path):
        with opened(path) as folder:
            receive(folder, [b"12345"])
            assert receive(folder, [b"x"]) == b""
            assert (path / PART).read_bytes() == b"x"

    def test_of_no_known_version_is_not_taken_up(self, path):
        with opened(path) as folder:
            folder.note("key", "")
            receive(folder, [b"12345"])
            assert folder.partial() is None

    def test_is_not_taken_up_where_nothing_of_it_is_there(self, path):
        with opened(path) as folder:
            folder.note("key", '"v1"')
            assert folder.partial() is None

    def test_writes_all_of_a_piece_that_the_disk_takes_in_bits(self, path, monkeypatch):
        real = os.write
        monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, bytes(data)[:3]))
        with opened(path) as folder:
            receive(folder, [b"1234567890"])
        assert (path / PART).read_bytes() == b"1234567890"

    def test_counts_as_whole_only_as_long_as_it_was(self, path):
        with opened(path) as folder:
            folder.keep({"a": 1})
            for name in ("one", "two"):
                receive(folder, [b"12345"])
                folder.finish(name, "key")
            folder.settle()
        (path / "two").write_bytes(b"123")
        (path / "three").write_bytes(b"12345")
        with opened(path) as folder:
            assert [folder.has(name, "key") for name in ("one", "two", "three")] == [True, False, False]

    def test_counts_as_whole_only_as_the_file_it_was(self, path):
        """One of another export may have its name, and be as long."""
        with opened(path) as folder:
            folder.keep({"a": 1})
            receive(folder, [b"12345"])
            folder.finish("Patient.0001.ndjson", "key")
            folder.settle()
        with opened(path) as folder:
            assert [folder.has("Patient.0001.ndjson", key) for key in ("key", "other", "")] == [True, False, False]

    @pytest.mark.parametrize("noted", ["5 one\n", "5 key one", "five key one\n", "\x00 key one\n", "5  one\n"])
    def test_that_was_noted_otherwise_is_not_here(self, path, noted):
        path.mkdir()
        (path / STATE).write_text("{}")
        (path / "one").write_bytes(b"12345")
        (path / ".whole").write_text(noted)
        with opened(path) as folder:
            assert not folder.has("one", "key")

    def test_that_did_not_get_to_the_disk_is_not_here(self, path, monkeypatch):
        def full(_descriptor):
            raise OSError(errno.ENOSPC, "canary")

        with opened(path) as folder:
            receive(folder, [b"12345"])
            monkeypatch.setattr(os, "fsync", full)
            folder.finish("one", "key")
            with pytest.raises(NotExported) as refused:
                folder.settle()
            assert refused.value.reason is Reason.DISK_FULL
            assert refused.value.__cause__ is None
            assert not folder.has("one", "key")
            assert not (path / "one").exists()

    def test_leaves_no_address_behind(self, path):
        with opened(path) as folder:
            folder.note("key", '"v1"')
        assert json.loads((path / ".arriving.json").read_text()) == {"key": "key", "validator": '"v1"'}
