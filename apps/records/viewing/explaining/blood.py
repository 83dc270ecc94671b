"""Blood cells, iron and vitamins, clotting, inflammation, and what the heart and other muscles release into the
blood."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SAID: Final[Mapping[str, Promise]] = {
    "blood-count": _("A group of tests that count the cells in blood: red cells, white cells, and platelets."),
    "white-cells": _(
        "White blood cells defend the body against germs. This is how many there are, counting all kinds."
    ),
    "red-cells": _("Red blood cells carry oxygen from the lungs to the whole body. This is how many there are."),
    "hemoglobin": _(
        "Hemoglobin is the protein in red blood cells that carries oxygen. The test shows how much of it there is."
    ),
    "hematocrit": _("How much of the blood is red blood cells, in percent of its volume."),
    "red-cell-size": _("The average size of red blood cells."),
    "red-cell-hemoglobin": _("How much hemoglobin, which carries oxygen, a red blood cell has on average."),
    "red-cell-density": _("How concentrated hemoglobin, which carries oxygen, is in red blood cells on average."),
    "red-cell-variation": _("How much red blood cells vary in size."),
    "platelets": _("Tiny cells that help blood clot where a blood vessel is hurt. This is how many there are."),
    "platelet-size": _("The average size of platelets, the cells that help blood clot."),
    "platelet-variation": _("How much platelets, the cells that help blood clot, vary in size."),
    "neutrophils": _("The most common white blood cells, and the first to fight bacteria. This is how many there are."),
    "neutrophil-share": _(
        "The most common white blood cells, and the first to fight bacteria. This is their share of all white blood "
        "cells."
    ),
    "lymphocytes": _(
        "White blood cells that recognize germs, make antibodies and fight viruses. This is how many there are."
    ),
    "lymphocyte-share": _(
        "White blood cells that recognize germs, make antibodies and fight viruses. This is their share of all white "
        "blood cells."
    ),
    "monocytes": _("White blood cells that clear away germs and worn-out cells. This is how many there are."),
    "monocyte-share": _(
        "White blood cells that clear away germs and worn-out cells. This is their share of all white blood cells."
    ),
    "eosinophils": _("White blood cells that take part in allergies and fight parasites. This is how many there are."),
    "eosinophil-share": _(
        "White blood cells that take part in allergies and fight parasites. This is their share of all white blood "
        "cells."
    ),
    "basophils": _("Rare white blood cells that take part in allergies. This is how many there are."),
    "basophil-share": _(
        "Rare white blood cells that take part in allergies. This is their share of all white blood cells."
    ),
    "band-share": _(
        "White blood cells that fight bacteria and are not fully grown yet. This is their share of all white "
        "blood cells."
    ),
    "young-white-cells": _(
        "White blood cells that are not fully grown yet. They mostly stay in the bone marrow until they are. This is "
        "how many there are in blood."
    ),
    "young-white-share": _(
        "White blood cells that are not fully grown yet. They mostly stay in the bone marrow until they are. This is "
        "their share of all white blood cells in blood."
    ),
    "young-red-share": _(
        "Red blood cells that have just left the bone marrow. Their share shows how many new ones it makes."
    ),
    "red-cells-with-nucleus": _(
        "Red blood cells at an early stage, which after birth mostly stay in the bone marrow. This is how many there "
        "are in blood."
    ),
    # Iron and vitamins
    "ferritin": _(
        "The protein in which the body stores iron. It shows how large the store is, and rises with inflammation, too."
    ),
    "iron": _("How much iron the blood is carrying. It changes through the day."),
    "iron-binding": _("How much iron the iron carriers in blood could hold in total."),
    "iron-saturation": _("How much of the space on the iron carriers is in use, in percent."),
    "iron-carrier": _("Transferrin, the protein that carries iron in the blood."),
    "vitamin-d": _("Vitamin D helps the body absorb calcium. The test measures the form in which most of it is kept."),
    "vitamin-b12": _(
        "The body needs vitamin B12 for red blood cells and nerves. It comes from food such as meat, fish and milk."
    ),
    "folate": _(
        "Folic acid is a B vitamin that the body needs for new cells. It comes from food such as leafy vegetables and "
        "beans."
    ),
    # Clotting
    "inr": _(
        "How long blood takes to clot, compared with a standard, so that results from all labs mean the same. For "
        "example, it is measured in people who take warfarin."
    ),
    "clotting-time": _("How many seconds the liquid part of blood takes to clot in the lab."),
    "partial-clotting-time": _(
        "How many seconds the liquid part of blood takes to clot in the lab. The test called PT starts the clotting "
        "in another way."
    ),
    "fibrinogen": _("A protein from the liver that becomes the threads of a blood clot."),
    "d-dimer": _("A piece of protein that is left in the blood when a clot dissolves."),
    # Inflammation
    "crp": _("A protein from the liver that rises within hours when there is inflammation anywhere in the body."),
    "esr": _("How far red blood cells sink in a tube within an hour. They sink faster when there is inflammation."),
    "procalcitonin": _("A protein that rises in the blood mostly when bacteria cause an infection."),
    "rheumatoid-factor": _("An antibody against the body's own antibodies. Some people have it without any illness."),
    "ana": _("Antibodies against parts of the body's own cells. Some people have them without any illness."),
    # Heart and other muscles
    "troponin": _("A protein of the heart's muscle. It gets into the blood when cells of that muscle are hurt."),
    "bnp": _(
        "A hormone that the heart releases when the blood in it stretches its walls, or a piece left over from "
        "making that hormone."
    ),
    "creatine-kinase": _(
        "An enzyme of muscles. More of it gets into the blood when muscles are hurt, and after hard exercise."
    ),
    "blood-group": _(
        "Which markers red blood cells have: A, B, AB or O, and Rh positive or negative. This matters when someone is "
        "given blood, and in pregnancy."
    ),
}
