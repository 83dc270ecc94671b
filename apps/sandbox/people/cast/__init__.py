"""The named people of the sandbox, one module each: who they are and what happened to them. `CAST` lists them.

All are invented. Stories end on `stories.TOLD_ON`; everything in them is fixed, so that any two sandboxes have the
same.
"""

from dataclasses import dataclass

from apps.sandbox.people.cast import george, hannah, ines, milo, ruth, theo
from apps.sandbox.people.facts import Story


@dataclass(frozen=True)
class Member:
    """Somebody who can sign in: credentials, their own story, then those of the people they look after."""

    username: str
    password: str
    stories: tuple[Story, ...]
    explains: str

    @property
    def display_name(self) -> str:
        """The name of the person who signs in."""
        return self.stories[0].person.name


CAST = (
    Member("ruth", "ruth-pass-1", (ruth.story(),), "Type 2 diabetes since 2014: much data, years of trends"),
    Member("george", "george-pass-1", (george.story(),), "Heart rhythm, a pacemaker, every kind of value and document"),
    Member("hannah", "hannah-pass-1", (hannah.story(), milo.story()), "A pregnancy; also sees her son Milo"),
    Member("theo", "theo-pass-1", (theo.story(),), "Asthma, and an allergy that matters"),
    Member("ines", "ines-pass-1", (ines.story(),), "Little data: one visit"),
)
