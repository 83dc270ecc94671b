"""Make a provider's row, with its search words, for every format."""

from collections.abc import Sequence

from apps.directory.list_formats.rows import ProviderRow
from apps.directory.models import Provider
from apps.directory.words import spelling

MOST_ALIASES = 100


def row(
    *,
    number: int,
    place: str,
    directory_id: str,
    name: str,
    shares_id: bool = False,
    is_spare: bool = False,
    key: str = "",
    other_key: str = "",
    part_of: str = "",
    aliases: Sequence[str] = (),
    kind: str = Provider.Kind.OTHER.value,
    city: str = "",
    state: str = "",
    postal_code: str = "",
    website: str = "",
    is_sandbox: bool = False,
    portals: Sequence[tuple[str, str]] = (),
) -> ProviderRow:
    """The row, from texts that were checked. `portals` are names and addresses, by which the provider is found too."""
    words = spelling.provider_words(
        name=name,
        aliases=aliases,
        city=city,
        state=state,
        postal_code=postal_code,
        website=website,
        portal_names=[portal for portal, _url in portals],
        portal_urls=[url for _portal, url in portals],
    )
    return ProviderRow(
        number, place, directory_id, shares_id, is_spare, key, other_key, part_of, name, spelling.plain(name)[:200],
        aliases, kind, city, state, postal_code, website, is_sandbox, words,
    )  # fmt: skip
