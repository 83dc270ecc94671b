"""For tests of rotation: registrations that sign, and how a provider verifies their signatures."""

import base64
import json
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry

from apps.audit.recording import Actor
from apps.directory import credentials, published_keys
from apps.directory.models import AuthorizationServer, ClientRegistration, SigningKey
from apps.wire.client_authentication import Client, assertion
from tests.directory.smart_deployment import AT

ACTOR = Actor.system("test")
AUDIENCE = "https://login.example/token"
KEPT = timedelta(hours=1)  # as the key set's max-age says
ALIVE = timedelta(minutes=5)  # the longest life of an assertion (SMART App Launch 2.2)


def registered(key: SigningKey | None, *, label: str = "ours", **columns: Any) -> ClientRegistration:
    """An approved registration that signs with this key, at a server of its own."""
    server = AuthorizationServer.objects.create(
        source="discovered", authorize_url=f"https://{uuid.uuid4()}.example/authorize", token_url=AUDIENCE, found_at=AT
    )
    return ClientRegistration.objects.create(
        authorization_server=server,
        **{
            "label": label,
            "status": "approved",
            "client_id": "holdfast",
            "authentication": "private_key_jwt",
            "signing_key": key,
            "versions_added": ["r4"],
            **columns,
        },
    )


def held(registration: ClientRegistration) -> Client:
    """What a worker has in hand once it has read the registration."""
    return credentials.client(ClientRegistration.objects.get(pk=registration.pk))


def signed(client: Client, *, at: datetime) -> str:
    """An assertion for one request."""
    return assertion(client, audience=AUDIENCE, at=at).reveal()


def verifies(token: str, document: bytes) -> bool:
    """Whether a provider that has this key set believes the assertion: one key of this id, and its signature."""
    kid = json.loads(_decoded(token.partition(".")[0]))["kid"]
    keys = [key for key in json.loads(document)["keys"] if key["kid"] == kid]
    try:
        return len(keys) == 1 and bool(
            jwt.decode(token, JWKRegistry.import_key(keys[0]), algorithms=["ES384", "RS384"]).claims
        )
    except JoseError:
        return False


@dataclass
class Publication:
    """What our key set was, and from when on: the history a provider can have read."""

    documents: list[tuple[datetime, bytes]] = field(default_factory=list)

    def note(self, *, at: datetime) -> None:
        """Our key set as it is now."""
        document = published_keys.key_set().body
        if not self.documents or self.documents[-1][1] != document:
            self.documents.append((at, document))

    def copies(self, since: datetime, until: datetime) -> list[bytes]:
        """Every document that somebody can have read in this time."""
        starts = [at for at, _ in self.documents[1:]]
        ends = [*starts, datetime.max.replace(tzinfo=AT.tzinfo)]
        return [
            document
            for (start, document), end in zip(self.documents, ends, strict=True)
            if start <= until and since < end
        ]

    def always_verifies(self, token: str, *, at: datetime) -> bool:
        """Whether a provider believes what was signed then, with whatever copy it may have and whenever it looks while
        the assertion lives."""
        return all(verifies(token, document) for document in self.copies(at - KEPT, at + ALIVE))


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
