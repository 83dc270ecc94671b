"""Our words for the relationship of a relative to the patient, by the codes that servers send."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Relative(StrEnum):
    """The relationship of a relative to the patient, if it was sent as a code that we know."""

    MOTHER = "mother"
    FATHER = "father"
    PARENT = "parent"
    SISTER = "sister"
    BROTHER = "brother"
    SIBLING = "sibling"
    DAUGHTER = "daughter"
    SON = "son"
    CHILD = "child"
    GRANDMOTHER = "grandmother"
    GRANDFATHER = "grandfather"
    GRANDPARENT = "grandparent"
    AUNT = "aunt"
    UNCLE = "uncle"
    COUSIN = "cousin"
    NIECE = "niece"
    NEPHEW = "nephew"
    FAMILY = "family"
    GRANDDAUGHTER = "granddaughter"
    GRANDSON = "grandson"
    GRANDCHILD = "grandchild"
    GREAT_GRANDMOTHER = "great-grandmother"
    GREAT_GRANDFATHER = "great-grandfather"
    MATERNAL_GRANDMOTHER = "maternal-grandmother"
    PATERNAL_GRANDMOTHER = "paternal-grandmother"
    MATERNAL_GRANDFATHER = "maternal-grandfather"
    PATERNAL_GRANDFATHER = "paternal-grandfather"
    MATERNAL_GRANDPARENT = "maternal-grandparent"
    PATERNAL_GRANDPARENT = "paternal-grandparent"
    MATERNAL_AUNT = "maternal-aunt"
    PATERNAL_AUNT = "paternal-aunt"
    MATERNAL_UNCLE = "maternal-uncle"
    PATERNAL_UNCLE = "paternal-uncle"
    MATERNAL_COUSIN = "maternal-cousin"
    PATERNAL_COUSIN = "paternal-cousin"
    TWIN_SISTER = "twin-sister"
    TWIN_BROTHER = "twin-brother"
    TWIN = "twin"
    HALF_SISTER = "half-sister"
    HALF_BROTHER = "half-brother"
    HALF_SIBLING = "half-sibling"
    SURROGATE_MOTHER = "surrogate-mother"
    ADOPTIVE_MOTHER = "adoptive-mother"
    ADOPTIVE_FATHER = "adoptive-father"
    ADOPTIVE_PARENT = "adoptive-parent"
    ADOPTED_DAUGHTER = "adopted-daughter"
    ADOPTED_SON = "adopted-son"
    ADOPTED_CHILD = "adopted-child"
    STEPMOTHER = "stepmother"
    STEPFATHER = "stepfather"
    STEPSISTER = "stepsister"
    STEPBROTHER = "stepbrother"
    FOSTER_MOTHER = "foster-mother"
    FOSTER_FATHER = "foster-father"
    HUSBAND = "husband"
    WIFE = "wife"
    SPOUSE = "spouse"


# v3-RoleCode, and the plain words of older examples. We distinguish relatives by how much of a family's illnesses they
# may share: the side of the family, half siblings, and relatives by adoption or marriage.
RELATIVES: Final[Mapping[str, Relative]] = {
    **{relative.value: relative for relative in Relative},
    **dict.fromkeys(("mth", "nmth", "nmthf"), Relative.MOTHER),
    **dict.fromkeys(("fth", "nfth", "nfthf"), Relative.FATHER),
    **dict.fromkeys(("prn", "nprn"), Relative.PARENT),
    **dict.fromkeys(("sis", "nsis"), Relative.SISTER),
    **dict.fromkeys(("bro", "nbro"), Relative.BROTHER),
    **dict.fromkeys(("sib", "nsib"), Relative.SIBLING),
    **dict.fromkeys(("dau", "dauc", "ndau"), Relative.DAUGHTER),
    **dict.fromkeys(("sonc", "nson"), Relative.SON),
    **dict.fromkeys(("chld", "nchild"), Relative.CHILD),
    "grmth": Relative.GRANDMOTHER,
    "grfth": Relative.GRANDFATHER,
    "grprn": Relative.GRANDPARENT,
    "cousn": Relative.COUSIN,
    "neph": Relative.NEPHEW,
    **dict.fromkeys(("fammemb", "ext"), Relative.FAMILY),
    "grnddau": Relative.GRANDDAUGHTER,
    "grndson": Relative.GRANDSON,
    "grndchild": Relative.GRANDCHILD,
    "ggrmth": Relative.GREAT_GRANDMOTHER,
    "ggrfth": Relative.GREAT_GRANDFATHER,
    "mgrmth": Relative.MATERNAL_GRANDMOTHER,
    "pgrmth": Relative.PATERNAL_GRANDMOTHER,
    "mgrfth": Relative.MATERNAL_GRANDFATHER,
    "pgrfth": Relative.PATERNAL_GRANDFATHER,
    "mgrprn": Relative.MATERNAL_GRANDPARENT,
    "pgrprn": Relative.PATERNAL_GRANDPARENT,
    "maunt": Relative.MATERNAL_AUNT,
    "paunt": Relative.PATERNAL_AUNT,
    "muncle": Relative.MATERNAL_UNCLE,
    "puncle": Relative.PATERNAL_UNCLE,
    "mcousn": Relative.MATERNAL_COUSIN,
    "pcousn": Relative.PATERNAL_COUSIN,
    "twinsis": Relative.TWIN_SISTER,
    "twinbro": Relative.TWIN_BROTHER,
    "hsis": Relative.HALF_SISTER,
    "hbro": Relative.HALF_BROTHER,
    "hsib": Relative.HALF_SIBLING,
    "gestm": Relative.SURROGATE_MOTHER,
    "adoptm": Relative.ADOPTIVE_MOTHER,
    "adoptf": Relative.ADOPTIVE_FATHER,
    "adoptp": Relative.ADOPTIVE_PARENT,
    "dauadopt": Relative.ADOPTED_DAUGHTER,
    "sonadopt": Relative.ADOPTED_SON,
    "chldadopt": Relative.ADOPTED_CHILD,
    "stpmth": Relative.STEPMOTHER,
    "stpfth": Relative.STEPFATHER,
    "stpsis": Relative.STEPSISTER,
    "stpbro": Relative.STEPBROTHER,
    "mthfost": Relative.FOSTER_MOTHER,
    "fthfost": Relative.FOSTER_FATHER,
    "husb": Relative.HUSBAND,
    "sps": Relative.SPOUSE,
}

# Our words, for a code that came without words.
RELATIVE_WORDS: Mapping[Relative, str | Promise] = {
    Relative.MOTHER: _("Mother"),
    Relative.FATHER: _("Father"),
    Relative.PARENT: _("Parent"),
    Relative.SISTER: _("Sister"),
    Relative.BROTHER: _("Brother"),
    Relative.SIBLING: _("Brother or sister"),
    Relative.DAUGHTER: _("Daughter"),
    Relative.SON: _("Son"),
    Relative.CHILD: _("Child"),
    Relative.GRANDMOTHER: _("Grandmother"),
    Relative.GRANDFATHER: _("Grandfather"),
    Relative.GRANDPARENT: _("Grandparent"),
    Relative.AUNT: _("Aunt"),
    Relative.UNCLE: _("Uncle"),
    Relative.COUSIN: _("Cousin"),
    Relative.NIECE: _("Niece"),
    Relative.NEPHEW: _("Nephew"),
    Relative.FAMILY: _("Relative"),
    Relative.GRANDDAUGHTER: _("Granddaughter"),
    Relative.GRANDSON: _("Grandson"),
    Relative.GRANDCHILD: _("Grandchild"),
    Relative.GREAT_GRANDMOTHER: _("Great-grandmother"),
    Relative.GREAT_GRANDFATHER: _("Great-grandfather"),
    Relative.MATERNAL_GRANDMOTHER: _("Grandmother on the mother's side"),
    Relative.PATERNAL_GRANDMOTHER: _("Grandmother on the father's side"),
    Relative.MATERNAL_GRANDFATHER: _("Grandfather on the mother's side"),
    Relative.PATERNAL_GRANDFATHER: _("Grandfather on the father's side"),
    Relative.MATERNAL_GRANDPARENT: _("Grandparent on the mother's side"),
    Relative.PATERNAL_GRANDPARENT: _("Grandparent on the father's side"),
    Relative.MATERNAL_AUNT: _("Aunt on the mother's side"),
    Relative.PATERNAL_AUNT: _("Aunt on the father's side"),
    Relative.MATERNAL_UNCLE: _("Uncle on the mother's side"),
    Relative.PATERNAL_UNCLE: _("Uncle on the father's side"),
    Relative.MATERNAL_COUSIN: _("Cousin on the mother's side"),
    Relative.PATERNAL_COUSIN: _("Cousin on the father's side"),
    Relative.TWIN_SISTER: _("Twin sister"),
    Relative.TWIN_BROTHER: _("Twin brother"),
    Relative.TWIN: _("Twin"),
    Relative.HALF_SISTER: _("Half-sister"),
    Relative.HALF_BROTHER: _("Half-brother"),
    Relative.HALF_SIBLING: _("Half-brother or half-sister"),
    Relative.SURROGATE_MOTHER: _("Mother who carried the pregnancy"),
    Relative.ADOPTIVE_MOTHER: _("Adoptive mother"),
    Relative.ADOPTIVE_FATHER: _("Adoptive father"),
    Relative.ADOPTIVE_PARENT: _("Adoptive parent"),
    Relative.ADOPTED_DAUGHTER: _("Adopted daughter"),
    Relative.ADOPTED_SON: _("Adopted son"),
    Relative.ADOPTED_CHILD: _("Adopted child"),
    Relative.STEPMOTHER: _("Stepmother"),
    Relative.STEPFATHER: _("Stepfather"),
    Relative.STEPSISTER: _("Stepsister"),
    Relative.STEPBROTHER: _("Stepbrother"),
    Relative.FOSTER_MOTHER: _("Foster mother"),
    Relative.FOSTER_FATHER: _("Foster father"),
    Relative.HUSBAND: _("Husband"),
    Relative.WIFE: _("Wife"),
    Relative.SPOUSE: _("Husband or wife"),
}
