"""Download a copy by the form of its page, as a user does."""

import io
import re
import zipfile
from collections.abc import Iterable

from django.urls import reverse

from apps.accounts.models import User
from apps.records.exporting import choosing
from apps.records.exporting.copies import Part
from tests.fixtures.cast import PASSWORD
from tests.records.linked import AT


def sign_in(client, user):
    """As somebody who gave the password a moment ago."""
    client.force_login(user)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})


def take(client, *connections, what="bundle"):
    sent = {"sources": [str(each.pk) for each in connections], "format": what}
    return client.post(reverse("download_copy"), sent)


def whole(response):
    return b"".join(response) if response.streaming else response.content


def text(response):
    return re.sub(r"\s+", " ", response.content.decode())


def unpacked(pieces: Iterable[bytes]) -> dict[str, bytes]:
    """The files of a packed copy, by name."""
    packed = zipfile.ZipFile(io.BytesIO(b"".join(pieces)))
    assert packed.testzip() is None
    return {name: packed.read(name) for name in packed.namelist()}


def parts(user: User) -> list[Part]:
    """All that somebody could take."""
    return [Part(choice.source, choice.gaps) for choice in choosing.choices(user, at=AT)]
