"""What the demo says on the terminal."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings

from config import env
from development.demo.sign_ins import SignIn

_PEOPLE_SHOWN = 6


def step(what: str) -> None:
    """One line when something begins that may take a moment."""
    print(f"{what} ...", flush=True)


def welcome(site: Sequence[SignIn], provider: Sequence[dict[str, Any]]) -> None:
    """Where everything is, who can sign in, what to do first, how to stop."""
    origin = settings.SITE_ORIGIN
    patient = next(one for one in site if one.role == "patient")
    lines = [
        "",
        "Holdfast is running.",
        "",
        *_columns(
            [
                (f"{origin}/", "the site"),
                (f"{origin}/development/mail/", "the mail it would have sent"),
                (f"{origin}/desk/", "where staff register with providers, and try it"),
                (f"{origin}/admin/", "everything else for staff"),
                (f"{env.sandbox_origin()}/", "the sandbox: providers with invented people"),
                (f"{env.sandbox_origin()}/b/launch/", "a provider's own portal, which can start the site"),
                (f"{env.sandbox_origin()}/portal/", "where developers register with the providers"),
            ]
        ),
        "",
        "Sign in to Holdfast",
        *_columns([(one.role, one.email, one.password) for one in site]),
        "",
        "Sign in to the provider, when it asks",
        *_columns([(one["username"], one["password"], one["display_name"]) for one in provider[:_PEOPLE_SHOWN]]),
        *(
            [f"  ... and {len(provider) - _PEOPLE_SHOWN} more: {env.sandbox_origin()}/"]
            * (len(provider) > _PEOPLE_SHOWN)
        ),
        "",
        f"First: open {origin}/ and sign in as {patient.email}, or sign up and read your code on the mail page.",
        "Then link a record: find Willow Creek Family Medicine, choose one of its four ways, and sign in there as one",
        "of the people above. Or begin at the provider's own portal: sign in to it as one of them, and start the site.",
        "",
        f"Data and logs are in {env.local_folder()}; make demo FRESH=1 starts anew. Ctrl-C stops everything.",
    ]
    print("\n".join(lines), flush=True)


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows of one table, as lines with their columns under each other."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  " + "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
