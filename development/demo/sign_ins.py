"""The two people who can sign in to the demo's site right away. Their passwords are random, and stored
beside the data.
"""

import json
import secrets
from dataclasses import dataclass

from django.apps import apps
from django.contrib.auth import get_user_model

from config import env


@dataclass(frozen=True, repr=False)
class SignIn:
    """One person of the demo."""

    role: str
    email: str
    password: str


def sign_ins() -> list[SignIn]:
    """The demo's patient and staff, created on the first run. If the file of passwords is lost, they get new
    passwords."""
    passwords = _passwords()
    return [
        _sign_in("patient", "patient@example.org", passwords, first_name="Pat"),
        _sign_in("staff", "staff@example.org", passwords, first_name="Stella", is_staff=True, is_superuser=True),
    ]


def _sign_in(role: str, email: str, passwords: dict[str, str], **columns: object) -> SignIn:
    users = get_user_model().objects
    user = users.filter(email=email).first() or users.create(email=email, **columns)
    if not user.check_password(passwords[role]):
        user.set_password(passwords[role])
        user.save()
    apps.get_model("account", "EmailAddress").objects.get_or_create(
        user=user, email=email, defaults={"verified": True, "primary": True}
    )
    return SignIn(role, email, passwords[role])


def _passwords() -> dict[str, str]:
    path = env.local_folder() / "sign-ins.json"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(json.dumps({role: secrets.token_hex(8) for role in ("patient", "staff")}), encoding="utf-8")
    passwords: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return passwords
