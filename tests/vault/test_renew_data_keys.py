"""The command `renew_data_keys`."""

import io
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.vault import renewing, tasks
from apps.vault.holders import Holder
from apps.vault.models import DataKey
from tests.vault import retiring
from tests.vault.keys import people, sealed_for

pytestmark = pytest.mark.django_db

ALL = ("--made-before", "2026-01-01T00:00Z")


def run(*arguments):
    """The lines it prints."""
    said = io.StringIO()
    call_command("renew_data_keys", *arguments, stdout=said)
    return said.getvalue().splitlines()


@pytest.fixture
def old():
    """Three people and the installation, with keys of last year."""
    holders = people(3)
    sealed_for(Holder.installation())
    retiring.make_old()
    return holders


def kept(count):
    latest = DataKey.objects.filter(is_retired=True).latest("unused_since").unused_since
    assert latest is not None
    told = timezone.localtime(latest + renewing.KEPT_FOR).strftime("%Y-%m-%d %H:%M %Z")
    them = "it" if count == 1 else "them"
    keys = "1 data key" if count == 1 else f"{count} data keys"
    return (
        f"{keys} kept until {told}, for what was read or sealed before. "
        f"Beat destroys {them} within an hour then, and so does running this again."
    )


class TestRenewDataKeys:
    def test_says_what_it_did_and_when_to_come_again(self, old):
        assert run(*ALL) == [
            "  4 data keys replaced",
            "  4 data keys used for nothing any more",
            "0 data keys destroyed.",
            "4 data keys replaced.",
            "4 data keys used for nothing any more.",
            kept(4),
        ]
        retiring.let_a_day_pass()
        assert run() == [
            "  4 data keys destroyed",
            "4 data keys destroyed.",
            "0 data keys replaced.",
            "0 data keys used for nothing any more.",
        ]

    def test_is_finished_by_the_schedule_a_day_later(self, old):
        run(*ALL)
        tasks.finish_renewals()
        assert DataKey.objects.filter(is_retired=True).count() == 4
        retiring.let_a_day_pass()
        tasks.finish_renewals()
        assert not DataKey.objects.filter(is_retired=True).exists()
        assert DataKey.objects.count() == 4

    def test_is_begun_by_no_schedule(self, old):
        before = set(DataKey.objects.values_list("pk", flat=True))
        tasks.finish_renewals()
        assert set(DataKey.objects.values_list("pk", flat=True)) == before

    def test_goes_on_by_itself_with_nothing_that_was_not_begun(self, old):
        assert run() == [
            "0 data keys destroyed.",
            "0 data keys replaced.",
            "0 data keys used for nothing any more.",
        ]
        assert not AuditEvent.objects.exists()

    def test_is_about_one_account_where_it_is_told_which(self, old):
        assert "1 data key replaced." in run(*ALL, "--user", str(old[0].id))
        assert "1 data key replaced." in run(*ALL, "--installation")
        assert "2 data keys replaced." in run(*ALL)

    @pytest.mark.parametrize("further", [(), ("--dry-run",)])
    def test_refuses_the_id_of_nobody(self, old, further):
        """In haste a slip would read as if their key had been replaced."""
        with pytest.raises(CommandError, match="This user has no data key"):
            run(*ALL, "--user", str(uuid4()), *further)
        assert not DataKey.objects.filter(is_retired=True).exists()

    def test_can_be_rehearsed(self, old):
        retiring.retire(old[0])
        before = list(DataKey.objects.order_by("pk").values())
        DataKey.objects.filter(holder_id=old[0].id, is_retired=False).update(created_at=timezone.now())
        (said,) = run(*ALL, "--dry-run")
        assert said == (
            "Nothing was changed. 0 data keys would be destroyed, 3 data keys replaced. Of 1 data key replaced before, "
            "what is left would be sealed anew."
        )
        assert [key["is_retired"] for key in before] == list(
            DataKey.objects.order_by("pk").values_list("is_retired", flat=True)
        )
        assert not AuditEvent.objects.exists()

    def test_fails_where_a_key_could_not_be_replaced(self, old):
        DataKey.objects.filter(holder_id=old[0].id).update(wrapped=bytes(60))
        complained = io.StringIO()
        with pytest.raises(CommandError, match="1 data key left to do: run this again"):
            call_command("renew_data_keys", *ALL, stdout=io.StringIO(), stderr=complained)
        assert complained.getvalue().startswith("1 data key could not be replaced")

    def test_fails_where_an_earlier_one_is_not_destroyed_yet(self, old):
        run(*ALL)
        retiring.make_old()
        with pytest.raises(CommandError, match="4 data keys left to do"):
            run(*ALL)

    def test_fails_where_a_retired_key_is_needed_still(self, old, monkeypatch):
        monkeypatch.setattr(renewing, "_is_used", lambda _key: True)
        complained = io.StringIO()
        with pytest.raises(CommandError, match="1 data key left to do"):
            call_command("renew_data_keys", *ALL, "--user", str(old[0].id), stdout=io.StringIO(), stderr=complained)
        assert complained.getvalue().startswith("1 data key still needed")

    @pytest.mark.parametrize(
        ("given", "why"),
        [
            ("yesterday", "not a time with its zone"),
            ("2026-13-41T00:00Z", "not a time with its zone"),
            ("2026-11-27T18:00", "not a time with its zone"),
            ("9999-11-27T18:00Z", "is still to come"),
        ],
    )
    def test_refuses_a_time_that_cannot_be_meant(self, old, given, why):
        with pytest.raises(CommandError, match=why):
            run("--made-before", given)

    def test_refuses_two_choices(self, old):
        with pytest.raises(CommandError, match="not allowed with"):
            run("--installation", "--user", str(old[0].id))

    def test_refuses_keys_that_cannot_be_used(self, old, settings):
        settings.VAULT_KEYS = ["no-key"]
        with pytest.raises(CommandError, match=r"run `manage.py check`"):
            run(*ALL)

    def test_says_nothing_of_a_key_or_a_person(self, old, capfd, caplog):
        said = [*run(*ALL), caplog.text, *capfd.readouterr(), str(list(AuditEvent.objects.values()))]
        for key in DataKey.objects.all():
            for secret in (key.pk.hex, str(key.pk), bytes(key.wrapped or b"").hex(), str(key.holder_id or "none")):
                assert secret not in "\n".join(said)
