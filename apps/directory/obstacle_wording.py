"""Why a provider cannot be connected, in words for patients, with the provider's name."""

from dataclasses import dataclass

from apps.directory import linkability
from apps.directory.linkability import Obstacle
from apps.directory.models import Provider

_LONGEST_IN_TITLE = 40


@dataclass(frozen=True)
class Explanation:
    """A title and a sentence, ready to show."""

    title: str
    sentence: str


def words(obstacle: Obstacle, provider: Provider) -> Explanation:
    """What to tell a patient about this obstacle at this provider."""
    template = linkability.WORDS[obstacle]
    return Explanation(
        title=str(template.title).format(provider=name_in_title(provider.name)),
        sentence=str(template.sentence).format(provider=name_in_title(provider.name)),
    )


def name_in_title(name: str) -> str:
    """A long name, shortened at a word boundary, for titles and for use beside the full name."""
    if len(name) <= _LONGEST_IN_TITLE:
        return name
    return f"{name[:_LONGEST_IN_TITLE].rpartition(' ')[0] or name[:_LONGEST_IN_TITLE]}…"
