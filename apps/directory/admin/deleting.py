"""What prevents deleting rows of the directory in the admin: other rows that refer to them, such as links."""

from collections.abc import Iterable, Iterator, Sequence

from django.db import models
from django.utils.text import capfirst


def in_the_way(rows: Iterable[models.Model]) -> list[str]:
    """The names of the models with rows that refer to any of these rows (all of one model) and are protected. Empty if
    there are none. Reads none of those rows."""
    found = list(rows)
    return sorted(set(_kinds(found))) if found else []


def _kinds(rows: Sequence[models.Model]) -> Iterator[str]:
    for relation in rows[0]._meta.get_fields(include_hidden=True):  # noqa: SLF001 - public
        if isinstance(relation, models.ManyToOneRel) and relation.on_delete is models.PROTECT:
            referring = relation.related_model
            if referring._base_manager.filter(**{f"{relation.field.name}__in": rows}).exists():  # noqa: SLF001 - public
                yield capfirst(str(referring._meta.verbose_name_plural))  # noqa: SLF001 - public
