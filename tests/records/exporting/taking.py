"""Take a copy along, as somebody does by the form of the page."""

import re

from django.urls import reverse

from tests.fixtures.cast import PASSWORD


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
