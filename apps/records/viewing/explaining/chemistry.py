"""Salts, minerals and proteins in blood, and signs of how kidneys, liver and pancreas work."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SAID: Final[Mapping[str, Promise]] = {
    "basic-chemistry": _(
        "A group of tests of blood: sugar, salts, calcium, and two kinds of waste that kidneys remove."
    ),
    "full-chemistry": _(
        "A group of tests of blood: sugar, salts, calcium, proteins, enzymes of the liver, and two kinds of waste that "
        "kidneys remove."
    ),
    "salts": _("A group of tests of the salts in blood, which the body's water, nerves and muscles depend on."),
    "sodium": _("A salt that keeps the water in the body in balance, within cells and around them."),
    "potassium": _("A salt that nerves and muscles need to work, and the heart above all."),
    "chloride": _("A salt that goes with sodium. It helps to keep water and acids in balance."),
    "carbon-dioxide": _(
        "Most of the carbon dioxide in blood is bicarbonate, which keeps acids in balance. The lungs and kidneys "
        "control how much there is."
    ),
    "bicarbonate": _(
        "Bicarbonate keeps the acids in blood in balance. The lungs and kidneys control how much there is."
    ),
    "anion-gap": _(
        "A number calculated from sodium, chloride and bicarbonate. It shows whether the blood has acids that are not "
        "measured directly."
    ),
    "calcium": _(
        "A mineral in bones and teeth. Muscles, nerves and blood clotting need it, too. The test measures what is in "
        "the blood, not in the bones."
    ),
    "free-calcium": _(
        "The part of the calcium in blood that no protein holds. Muscles, nerves and clotting use this part."
    ),
    "magnesium": _("A mineral that muscles, nerves and many enzymes need."),
    "phosphate": _("A mineral that makes up bones together with calcium. All cells need it for energy."),
    "protein": _("All proteins in the liquid part of blood together, mostly albumin and globulins."),
    "albumin": _("A protein from the liver that keeps water in the blood vessels and carries many other materials."),
    "globulin": _(
        "Proteins in blood other than albumin, including antibodies. The number is usually calculated from two others."
    ),
    "albumin-ratio": _("Albumin divided by globulins, the two main groups of proteins in blood."),
    "uric-acid": _(
        "Waste that is left when the body breaks down parts of cells and of some foods. Kidneys remove most of it."
    ),
    "osmolality": _("How much is dissolved in the liquid part of blood, mostly salts, sugar and urea."),
    "lactate": _(
        "What cells make when they use sugar without oxygen, as muscles do in hard exercise. The liver clears it."
    ),
    "zinc": _("A mineral that the body needs to grow, to heal wounds and to fight germs."),
    "lead": _("A metal that the body has no use for. The test shows how much of it is in the blood."),
    # Kidneys
    "creatinine": _(
        "Waste from muscles, removed by the kidneys. How much is in the blood also depends on how much muscle a "
        "person has."
    ),
    "urea": _(
        "Urea is waste from proteins, removed by the kidneys. The test measures the nitrogen that is part of it."
    ),
    "urea-ratio": _("Urea nitrogen divided by creatinine. Both are waste that kidneys remove."),
    "filtering": _(
        "How much blood the filters of both kidneys clean in a minute. It is estimated, mostly from creatinine, age "
        "and sex."
    ),
    "urine-albumin": _(
        "A blood protein that the filters in the kidneys mostly hold back. It is compared with creatinine, so how "
        "watery the urine is makes no difference."
    ),
    "urine-albumin-alone": _(
        "A blood protein that the filters in the kidneys mostly hold back. The test shows how much of it is in urine."
    ),
    "urine-creatinine": _(
        "Waste from muscles. In urine it shows how concentrated the urine is, so that other tests can be compared with "
        "it."
    ),
    # Liver and pancreas
    "liver": _("A group of tests of blood: enzymes of the liver, bilirubin, and proteins that the liver makes."),
    "alt": _("An enzyme of liver cells. More of it gets into the blood when these cells are hurt."),
    "ast": _(
        "An enzyme of the liver, of muscles and of other organs. More of it gets into the blood when cells there are "
        "hurt."
    ),
    "alp": _("An enzyme that mostly comes from the liver and from bones. While bones grow, there is more of it."),
    "ggt": _("An enzyme of the liver and its ducts. Alcohol and some medicines also raise it."),
    "bilirubin": _("The yellow waste from old red blood cells. The liver removes it in the bile."),
    "direct-bilirubin": _(
        "The yellow waste from old red blood cells. This is the part that the liver has made ready to leave the body."
    ),
    "indirect-bilirubin": _(
        "The yellow waste from old red blood cells. This is the part that is still on its way to the liver."
    ),
    "ammonia": _("Waste from proteins that mostly comes from the gut. The liver turns it into urea."),
    "lipase": _("An enzyme from the pancreas that digests fat. A little of it is always in the blood."),
    "amylase": _(
        "An enzyme from the pancreas and from the glands that make saliva. It digests starch, and a little of it is "
        "always in the blood."
    ),
    "ldh": _("An enzyme of nearly all cells. More of it gets into the blood when cells anywhere are hurt."),
}
