"""Enrolment: a practice gives a patient the credentials that open the patient access API."""

from collections.abc import Mapping, Sequence

from apps.sandbox.models import Account

VERSIONS = ("dstu2", "r4")


class EnrolmentRefused(Exception):
    """The credentials cannot be created; the text says why, for whoever fills in the form."""


def enrol(
    username: str,
    password: str,
    display_name: str,
    patients: Mapping[str, Sequence[str]],
    *,
    practice: str = "",
    about: str = "",
    show_password: bool = True,
) -> Account:
    """Create or renew one account.

    `patients` has the Patient ids that it sees, per FHIR version: `{"dstu2": [...], "r4": [...]}`, the person first,
    then those they look after. `about` is printed on the start page, and with `show_password` also the password
    (invented people only). Raises EnrolmentRefused if it would see nobody.
    """
    if not username.strip() or not password:
        raise EnrolmentRefused("A user name and a password are needed.")
    seen = {version: list(patients.get(version, ())) for version in VERSIONS}
    if not any(seen.values()):
        raise EnrolmentRefused("At least one record is needed.")
    if any("\0" in text for text in (username, display_name, practice, *seen["dstu2"], *seen["r4"])):
        raise EnrolmentRefused("There is a character in it that no name has.")
    if len(username) > 150 or len(display_name) > 200 or len(practice) > 80:
        raise EnrolmentRefused("A user name has 150 characters at most, a name 200.")
    account = Account.objects.filter(username=username.strip()).first() or Account(username=username.strip())
    account.display_name = display_name
    account.patients = seen
    account.practice = practice
    account.about = about
    account.is_enrolled = True
    account.shown_password = password if show_password else ""
    account.set_password(password)
    account.save()
    return account


def end(account: Account) -> None:
    """Disable the account's sign-in."""
    account.is_enrolled = False
    account.save(update_fields=["is_enrolled"])
