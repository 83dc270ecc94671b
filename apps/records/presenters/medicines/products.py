"""What a medicine is called and made of: by its concept, or by the Medication behind it, contained or referred to.

A name that is only a code is taken where nothing else names it, from wherever: the concept, the Medication, what stands
beside the reference, the ingredients, or a Medication's narrative that is no more than a name.
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
    """What is taken. `concept` is what `heads.head` reads: the codes of the medicine, and whether it is hidden."""

    concept: object = None
    names: tuple[str, ...] = ()  # besides what the concept says, the most telling first
    form: str = ""
    ingredients: tuple[str, ...] = ()
    brands: tuple[str, ...] = ()
    called: tuple[str, ...] = ()  # every name that was sent, whatever it is

    def others(self, title: str) -> tuple[str, ...]:
        """What else it was called, in the provider's words: in other words than its title and its brands."""
        told = {_plainly(title), *map(_plainly, self.brands)}
        names = {
            _plainly(name): name for name in reversed(self.called) if not codeable_concepts.is_in_place_of_a_name(name)
        }
        return tuple(
            name for plain, name in reversed(names.items()) if plain not in told and not codeable_concepts.is_code(name)
        )

    def title(self, said: str, codes: tuple[Code, ...]) -> str:
        """What it is called: as the concept says, unless that is a code, or nothing, and something else is a name."""
        coded = {code.code for code in codes}
        names = (name for name in (said, *self.names) if not (name in coded and any(map(str.isdigit, name))))
        return codeable_concepts.first_name((*names, said))


def read(resource: Element, context: Context) -> Product:
    """What an order, a report or a fill is about."""
    sent = elements.child(resource, "medicationReference")
    found = context.find(sent, within=resource)
    if heads.was_withdrawn(found):  # a name of it was a mistake
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
    """As far as it was said which name is a brand: by a Medication of DSTU2, or by RxNorm, which writes the brand of
    what has one in brackets behind the rest. Nothing is guessed from how a name looks."""
    codes = (*codeable_concepts.codes_of(concept), *codeable_concepts.codes_of(product.get("code")))
    named = [found[1] for code in codes if code.system in _RXNORM and (found := _IN_BRACKETS.search(code.display))]
    own = codeable_concepts.name_in(product.get("code")) if elements.flag(product, "isBrand") is True else ""
    return tuple(dict.fromkeys(filter(None, (*named, own))))[:_MOST]


def _called(concept: object) -> Iterator[str]:
    """Its text and displays, and the translations of these."""
    parts = (concept, *elements.children(concept, "coding"))
    for part, name in zip(parts, ("text", *("display",) * len(parts)), strict=False):
        yield elements.text(part, name)
        for extension in elements.children(elements.child(part, f"_{name}"), "extension"):
            if elements.text(extension, "url").endswith("/translation"):
                yield from (elements.text(each, "valueString") for each in elements.children(extension, "extension"))


def _plainly(name: str) -> str:
    return " ".join(name.casefold().split())


def _ingredients(product: Element, resource: Element, context: Context) -> Iterator[str]:
    """Each ingredient by name and strength. A Substance that the whole contains stands beside the Medication in it."""
    for part in naming.parts_of(product):
        named = naming.name_of_part(part, context, within=(product, resource))
        sent = dosages.ratio(elements.child(part, "strength") or elements.child(part, "amount"))
        strength = _ZEROS.sub(lambda found: found[1].rstrip("."), sent)  # 1000.0 mg is misread as 10000 mg
        yield f"{named} ({strength})" if named and strength else named
