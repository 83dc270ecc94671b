"""What a medicine is called and made of: by its concept, or by the Medication behind it, contained or referred to.

A name that is only a code is taken where nothing else names it, from wherever: the concept, the Medication, what stands
beside the reference, the ingredients, or a Medication's narrative that is no more than a name.
"""

import re
from collections.abc import Iterator

import msgspec

from apps.records.presenters import elements, heads, naming
from apps.records.presenters.dosing import dosages
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Code, Context

_ZEROS = re.compile(r"(?<=[0-9])(\.[0-9]*?)0+(?![0-9])")  # at the end of a number


class Product(msgspec.Struct, frozen=True, gc=False):
    """What is taken. `concept` is what `heads.head` reads: the codes of the medicine, and whether it is hidden."""

    concept: object = None
    names: tuple[str, ...] = ()  # besides what the concept says, the most telling first
    form: str = ""
    ingredients: tuple[str, ...] = ()

    def title(self, said: str, codes: tuple[Code, ...]) -> str:
        """What it is called: as the concept says, unless that is a code, or nothing, and something else is a name."""
        coded = {code.code for code in codes}
        names = (name for name in (said, *self.names) if not (name in coded and any(map(str.isdigit, name))))
        return heads.first_name((*names, said))


def read(resource: Element, context: Context) -> Product:
    """What an order, a report or a fill is about."""
    sent = elements.child(resource, "medicationReference")
    found = context.find(sent, within=resource)
    concept = resource.get("medicationCodeableConcept") or found.get("code")
    ingredients = tuple(dict.fromkeys(filter(None, _ingredients(found, resource, context))))
    own = heads.head(found, found.get("code"))["title"] if found.get("code") is not concept else ""
    told = "" if heads.name_in(concept) else naming.told_alone(found)
    return Product(
        concept=concept or ({"extension": sent.get("extension")} if "extension" in sent else None),
        names=tuple(filter(None, (own, naming.beside(sent), " / ".join(ingredients), told))),
        form=heads.title_of(found.get("form")) or heads.title_of(elements.child(found, "product").get("form")),
        ingredients=ingredients,
    )


def _ingredients(product: Element, resource: Element, context: Context) -> Iterator[str]:
    """Each ingredient by name and strength. A Substance that the whole contains stands beside the Medication in it."""
    for part in naming.parts_of(product):
        named = naming.name_of_part(part, context, within=(product, resource))
        sent = dosages.ratio(elements.child(part, "strength") or elements.child(part, "amount"))
        strength = _ZEROS.sub(lambda found: found[1].rstrip("."), sent)  # 1000.0 mg is misread as 10000 mg
        yield f"{named} ({strength})" if named and strength else named
