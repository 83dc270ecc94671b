"""The folder of an export: who can read it, what it remembers, and that nothing in it is half written."""

import contextlib
import errno
import json
import os
import stat

import pytest

from apps.directory.bulk_exporting import Limits, NotExported, Reason
from apps.directory.bulk_exporting import folder as folders
from apps.directory.bulk_exporting.folder import STATE, Partial, part_name

UNNOTED = part_name("", "")
PART = part_name("key", '"v1"')


@pytest.fixture
def path(tmp_path):
    return tmp_path / "output"


def opened(path, **limits):
    """Whatever disk the tests run on."""
    return folders.opened(path, Limits(**{"keep_free_bytes": 0, **limits}))


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
            (path / UNNOTED).symlink_to(tmp_path / "else")
            with pytest.raises(NotExported):
                receive(folder, [b"{}\n"])
        assert (tmp_path / "else").read_text() == "mine"

    @pytest.mark.parametrize("permissions", [0o720, 0o702, 0o777, 0o1777, 0o770])
    def test_into_which_others_may_write_is_refused(self, path, permissions):
        path.mkdir()
        path.chmod(permissions)
        with pytest.raises(NotExported) as refused, opened(path):
            pass
        assert refused.value.reason is Reason.OTHERS_WRITE
        assert list(path.iterdir()) == []

    def test_that_others_may_look_into_is_taken(self, path):
        path.mkdir(mode=0o755)
        with opened(path) as folder:
            folder.keep({"a": 1})
        assert mode(path / STATE) == 0o600

    def test_that_is_a_link_is_refused(self, path, tmp_path):
        (tmp_path / "else").mkdir(mode=0o700)
        path.symlink_to(tmp_path / "else")
        with pytest.raises(NotExported) as refused, opened(path):
            pass
        assert refused.value.reason is Reason.NOT_A_FOLDER
        assert list((tmp_path / "else").iterdir()) == []

    def test_is_the_same_wherever_its_path_leads_by_now(self, path, tmp_path):
        with opened(path) as folder:
            path.rename(tmp_path / "moved")
            path.mkdir()
            folder.keep({"a": 1})
            receive(folder, [b"{}\n"])
            folder.finish("Patient.0001.ndjson", "key")
            folder.settle()
        assert list(path.iterdir()) == []
        assert (tmp_path / "moved" / "Patient.0001.ndjson").read_bytes() == b"{}\n"


NAMES = [STATE, f"{STATE}.new", PART, UNNOTED, ".whole", ".arriving.json", ".arriving.json.new", "Patient.0001.ndjson"]


class TestANameInTheFolder:
    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("how", ["symlink_to", "hardlink_to"])
    def test_of_something_else_harms_nothing_there(self, path, tmp_path, name, how):
        mine = tmp_path / "mine"
        mine.write_bytes(b"5 key Patient.0001.ndjson\n")
        with opened(path) as folder:
            folder.keep({"a": 1})
        (path / name).unlink(missing_ok=True)
        getattr(path / name, how)(mine)
        (path / f"{STATE}.new").touch()  # it is the folder of an export still
        before = mine.stat()
        with contextlib.suppress(NotExported), opened(path) as folder:
            assert not folder.has("Patient.0001.ndjson", "key")
            folder.note("key", '"v1"')
            receive(folder, [b"12345"])
            folder.finish("Patient.0001.ndjson", "key")
            folder.settle()
            folder.keep({"a": 2})
        assert mine.read_bytes() == b"5 key Patient.0001.ndjson\n"
        assert (mine.stat().st_mode, mine.stat().st_mtime_ns) == (before.st_mode, before.st_mtime_ns)

    @pytest.mark.parametrize("name", [STATE, UNNOTED, ".whole", ".arriving.json"])
    def test_of_a_pipe_lets_nobody_wait(self, path, name):
        with opened(path) as folder:
            folder.keep({"a": 1})
        (path / name).unlink(missing_ok=True)
        (path / f"{STATE}.new").touch()
        os.mkfifo(path / name)
        with contextlib.suppress(NotExported), opened(path) as folder:
            folder.state()
            folder.partial()
            receive(folder, [b"12345"])
            pytest.fail("nobody is told of a pipe")

    def test_of_a_file_is_no_link_to_one(self, path, tmp_path):
        with opened(path) as folder:
            folder.keep({"a": 1})
            receive(folder, [b"12345"])
            folder.finish("one", "key")
            folder.settle()
        (path / "one").rename(tmp_path / "one")
        (path / "one").symlink_to(tmp_path / "one")
        with opened(path) as folder:
            assert not folder.has("one", "key")


class TestTheRoomOfAFolder:
    def test_stays_free_as_far_as_it_shall(self, path):
        with opened(path) as folder:
            receive(folder, [b"12345"])
        (path / STATE).write_text("{}")
        with opened(path, keep_free_bytes=10**18) as folder:
            with pytest.raises(NotExported) as before:
                folder.check_room()
            with pytest.raises(NotExported) as full:
                receive(folder, [b"678"], starts_at=5)
        assert before.value.reason is full.value.reason is Reason.NEARLY_FULL
        assert (path / UNNOTED).read_bytes() == b"12345"

    def test_is_not_taken_by_one_file(self, path):
        with opened(path, largest_file_bytes=8) as folder:
            receive(folder, [b"12345", b"678"])
            with pytest.raises(NotExported) as large:
                receive(folder, [b"9"], starts_at=8)
        assert large.value.reason is Reason.TOO_LARGE
        assert (path / UNNOTED).read_bytes() == b"12345678"


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
            assert (path / UNNOTED).read_bytes() == b"x"

    def test_of_no_known_version_is_not_taken_up(self, path):
        with opened(path) as folder:
            folder.note("key", "")
            receive(folder, [b"12345"])
            assert folder.partial() is None

    @pytest.mark.parametrize("noted", ["v1", '"v1', '"v\\r\\nX: y"', 7, None, '"\u00e9"'])
    def test_of_a_version_that_no_provider_names_is_not_taken_up(self, path, noted):
        with opened(path) as folder:
            folder.keep({"a": 1})
            folder.note("key", '"v1"')
            receive(folder, [b"12345"])
        (path / PART).rename(path / part_name("key", str(noted)))
        (path / ".arriving.json").write_text(json.dumps({"key": "key", "validator": noted}))
        with opened(path) as folder:
            assert folder.partial() is None

    @pytest.mark.parametrize("spoilt", [b"", b"\0" * 40, b'{"key": "ke', b"[]", b"\xff", b"[" * 100_000])
    def test_begins_again_where_the_machine_stopped_before_its_note_was_on_the_disk(self, path, spoilt):
        with opened(path) as folder:
            folder.keep({"a": 1})
            folder.note("key", '"v1"')
            receive(folder, [b"12345"])
        (path / ".arriving.json").write_bytes(spoilt)
        with opened(path) as folder:
            assert folder.partial() is None
            folder.note("key", '"v1"')
            assert folder.partial() == Partial("key", '"v1"', 5)

    def test_is_not_taken_up_where_the_note_is_of_the_file_that_came_next(self, path):
        """The machine stopped: the note is on the disk, and the name that the file before it had got is not."""
        with opened(path) as folder:
            folder.keep({"a": 1})
            folder.note("key", '"v1"')
            receive(folder, [b"12345"])
            (path / PART).rename(path / "before")
            folder.note("next", '"v1"')
            receive(folder, [b"67"])
            assert folder.partial() == Partial("next", '"v1"', 2)
            (path / "before").rename(path / PART)
            (path / part_name("next", '"v1"')).unlink()
        with opened(path) as folder:
            assert folder.partial() is None

    def test_is_not_taken_up_as_another_version_of_it(self, path):
        """The machine stopped: the note is on the disk, and what came of the version before it is not cut yet."""
        with opened(path) as folder:
            folder.keep({"a": 1})
            folder.note("key", '"v1"')
            receive(folder, [b"12345"])
            came = (path / PART).read_bytes()
            folder.note("key", '"v2"')
            (path / PART).write_bytes(came)
        with opened(path) as folder:
            assert folder.partial() is None

    def test_takes_no_room_any_more_once_another_arrives_or_all_are_here(self, path):
        with opened(path) as folder:
            folder.keep({"a": 1})
            folder.note("key", '"v1"')
            receive(folder, [b"12345"])
        with opened(path) as folder:
            folder.note("next", '"v1"')
            receive(folder, [b"67"])
            assert [part.name for part in path.glob("*.part")] == [part_name("next", '"v1"')]
            for left in (PART, ".arriving.part"):  # the latter as the version before called each
                (path / left).write_bytes(b"12345")
        with opened(path) as folder:
            folder.settle()
        assert [*path.glob(".arriving*")] == []

    def test_is_not_taken_up_where_nothing_of_it_is_there(self, path):
        with opened(path) as folder:
            folder.note("key", '"v1"')
            assert folder.partial() is None

    def test_is_of_the_version_noted_last_however_short_its_name(self, path):
        with opened(path) as folder:
            folder.keep({"a": 1})
            for validator in ('"v1"', '"a much longer name of a version"', '"v2"'):
                folder.note("key", validator)
            receive(folder, [b"12345"])
        with opened(path) as folder:
            assert folder.partial() == Partial("key", '"v2"', 5)

    @pytest.mark.parametrize("bad", [b"first", b"last"])
    def test_says_why_whichever_of_its_pieces_was_not_written(self, path, monkeypatch, bad):
        """Each is written while the next arrives, so that it fails later than it was given."""
        real = os.write

        def write(descriptor, data):
            if bytes(data) == bad:
                raise OSError(errno.ENOSPC, "full")
            return real(descriptor, data)

        monkeypatch.setattr(os, "write", write)
        with opened(path) as folder:
            folder.keep({"a": 1})
            with pytest.raises(NotExported) as refused:
                receive(folder, [b"first", b"middle", b"last"])
        assert refused.value.reason is Reason.DISK_FULL
        assert bad not in (path / UNNOTED).read_bytes()

    def test_writes_all_of_a_piece_that_the_disk_takes_in_bits(self, path, monkeypatch):
        real = os.write
        monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, bytes(data)[:3]))
        with opened(path) as folder:
            receive(folder, [b"1234567890"])
        assert (path / UNNOTED).read_bytes() == b"1234567890"

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
