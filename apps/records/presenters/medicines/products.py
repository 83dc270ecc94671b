"""What a medicine is called and made of, by its concept or its Medication, which is contained or referred to.

A name that is only a code is used only if there is no other name: in the concept, in the Medication, as the display of
the reference, as the names of the ingredients, or as a Medication's narrative that consists of a name.
"""

import re
from collections.abc import Iterator

import msgspec

from apps.records.presenters import codeable_concepts, elements, heads, naming
from apps.records.presenters.dosing import dosages
from apps.records.presenters.elements import Element
from apps.records.presenters.entry import Code, Context

_MOST = 10  # names of one medicine
_RXNORM = frozenset({"http://www.nlm.nih.gov/research/umls/rxnorm", "urn:oid:2.16.840.1.113883.6.88"})
_IN_BRACKETS = re.compile(r"\[([^\[\]]+)\]$")
_ZEROS = re.compile(r"(?<=[0-9])(\.[0-9]*?)0+(?![0-9])")  # at the end of a number


class Product(msgspec.Struct, frozen=True, gc=False):
    """The product that is taken. `concept` is for `heads.head`, which reads the codes of the medicine from it, and
    whether it is withheld."""

    concept: object = None
    names: tuple[str, ...] = ()  # names other than the concept's, the best one first
    form: str = ""
    ingredients: tuple[str, ...] = ()
    brands: tuple[str, ...] = ()
    called: tuple[str, ...] = ()  # every name that was sent, even if it is a brand or a code

    def others(self, title: str) -> tuple[str, ...]:
        """The provider's other names for it, which are neither the title, nor a brand, nor a code."""
        told = {_plainly(title), *map(_plainly, self.brands)}
        names = {
            _plainly(name): name for name in reversed(self.called) if not codeable_concepts.is_in_place_of_a_name(name)
        }
        return tuple(
            name for plain, name in reversed(names.items()) if plain not in told and not codeable_concepts.is_code(name)
        )

    def title(self, said: str, codes: tuple[Code, ...]) -> str:
        """The name to show: the concept's name (`said`); if that is empty or a code, the best other name, if any."""
        coded = {code.code for code in codes}
        names = (name for name in (said, *self.names) if not (name in coded and any(map(str.isdigit, name))))
        return codeable_concepts.first_name((*names, said))


def read(resource: Element, context: Context) -> Product:
    """Read the product of an order, a statement or a dispense."""
    sent = elements.child(resource, "medicationReference")
    found = context.find(sent, within=resource)
    if heads.was_withdrawn(found):  # its names were a mistake
        found = {}
    concept = resource.get("medicationCodeableConcept") or found.get("code")
    ingredients = tuple(dict.fromkeys(filter(None, _ingredients(found, resource, context))))
    own = heads.head(found, found.get("code"))["title"] if found.get("code") is not concept else ""
    told = "" if codeable_concepts.name_in(concept) else naming.told_alone(found)
    return Product(
        concept=concept or ({"extension": sent.get("extension")} if "extension" in sent else None),
        names=tuple(filter(None, (own, naming.beside(sent), " / ".join(ingredients), told))),
        form=codeable_concepts.title_of(found.get("form"))
        or codeable_concepts.title_of(elements.child(found, "product").get("form")),
        ingredients=ingredients,
        brands=_brands(concept, found),
        called=tuple(filter(None, (*_called(concept), *_called(found.get("code")), naming.beside(sent))))[:_MOST],
    )


def _brands(concept: object, product: Element) -> tuple[str, ...]:
    """The names that were sent as brand names: in a Medication in DSTU2, or in RxNorm, whose names end with the brand
    in brackets. We never guess from how a name looks."""
    codes = (*codeable_concepts.codes_of(concept), *codeable_concepts.codes_of(product.get("code")))
    named = [found[1] for code in codes if code.system in _RXNORM and (found := _IN_BRACKETS.search(code.display))]
    own = codeable_concepts.name_in(product.get("code")) if elements.flag(product, "isBrand") is True else ""
    return tuple(dict.fromkeys(filter(None, (*named, own))))[:_MOST]


def _called(concept: object) -> Iterator[str]:
    """The text and the displays of a concept, and their translations."""
    parts = (concept, *elements.children(concept, "coding"))
    for part, name in zip(parts, ("text", *("display",) * len(parts)), strict=False):
        yield elements.text(part, name)
        for extension in elements.children(elements.child(part, f"_{name}"), "extension"):
            if elements.text(extension, "url").endswith("/translation"):
                yield from (elements.text(each, "valueString") for each in elements.children(extension, "extension"))


def _plainly(name: str) -> str:
    return " ".join(name.casefold().split())


def _ingredients(product: Element, resource: Element, context: Context) -> Iterator[str]:
    """Each ingredient, by name and strength. A Substance may be contained in the Medication, or in the resource that
    contains the Medication."""
    for part in naming.parts_of(product):
        named = naming.name_of_part(part, context, within=(product, resource))
        sent = dosages.ratio(elements.child(part, "strength") or elements.child(part, "amount"))
        strength = _ZEROS.sub(lambda found: found[1].rstrip("."), sent)  # people misread 1000.0 mg as 10000 mg
        yield f"{named} ({strength})" if named and strength else named
