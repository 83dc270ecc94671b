"""Health conditions."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SAID: Final[Mapping[str, Promise]] = {
    # Heart and blood vessels
    "high-blood-pressure": _(
        "Blood pushes harder against the walls of the arteries than usual, and not only for a moment."
    ),
    "low-blood-pressure": _("Blood pushes less hard against the walls of the arteries than usual."),
    "atrial-fibrillation": _(
        "The upper chambers of the heart beat fast and out of step, which makes the pulse uneven."
    ),
    "coronary-disease": _("The arteries that bring blood to the heart's own muscle are narrowed."),
    "ischemic-heart": _("The heart's own muscle gets too little blood, usually because its arteries are narrowed."),
    "heart-failure": _("The heart moves less blood than the body needs. It has not stopped."),
    "heart-attack": _("A part of the heart's muscle got too little blood, or none, and was hurt."),
    "past-heart-attack": _("A part of the heart's muscle once got too little blood, or none, and was hurt."),
    "stroke": _("A part of the brain was hurt, because no blood reached it or because there was bleeding in it."),
    "ischemic-stroke": _("A part of the brain got too little blood, or none, and was hurt."),
    "passing-stroke": _("For a short time a part of the brain got too little blood. The signs of it went away."),
    "leg-clot": _("A clot blocks a vein deep in the body, mostly in a leg."),
    "lung-clot": _("A clot blocks an artery of the lungs. Most such clots come from a leg."),
    "narrowed-limb-arteries": _("The blood vessels of the legs or the arms, mostly arteries, are narrowed."),
    # Sugar, fats, glands, nutrition
    "diabetes": _("Sugar stays in the blood, because the body lacks insulin or does not respond well to it."),
    "type-1-diabetes": _(
        "The body makes hardly any insulin, the hormone that lets cells take up sugar from the blood."
    ),
    "type-2-diabetes": _(
        "The body does not respond well to insulin, or makes too little of it, so that sugar stays in the blood."
    ),
    "prediabetes": _("There is more sugar in the blood than usual, and less than in diabetes."),
    "high-cholesterol": _("There is more cholesterol in the blood than usual."),
    "high-fats": _("There is more cholesterol, or more of other fats, in the blood than usual."),
    "high-triglycerides": _(
        "There are more triglycerides, the fats in which the body stores energy, in the blood than usual."
    ),
    "high-cholesterol-and-triglycerides": _(
        "There is more of two kinds of fats in the blood than usual: cholesterol and triglycerides."
    ),
    "underactive-thyroid": _(
        "The thyroid makes less of its hormones than the body needs. They set how fast it uses energy."
    ),
    "overactive-thyroid": _(
        "The thyroid makes more of its hormones than the body needs. They set how fast it uses energy."
    ),
    "low-vitamin-d": _("The body has less vitamin D than it needs to absorb calcium."),
    "anemia": _("There is less hemoglobin in the blood than usual, so the blood carries less oxygen."),
    "iron-anemia": _("The body does not have enough iron to make hemoglobin, so the blood carries less oxygen."),
    "low-potassium": _("There is less potassium in the blood than usual. Nerves and muscles need this salt."),
    "low-sodium": _("There is less sodium in the blood than usual. This salt keeps the body's water in balance."),
    "gout": _("Crystals of uric acid in a joint make it swell and hurt."),
    # Airways and lungs
    "asthma": _("The airways are inflamed and become narrow now and then, which makes breathing hard for a while."),
    "copd": _("The airways are narrow and stay narrow, which makes it hard to breathe out."),
    "allergic-nose": _("The lining of the nose reacts to something in the air, such as dust or pollen."),
    "hay-fever": _("The nose and the eyes react to pollen at some times of the year."),
    "seasonal-allergic-nose": _(
        "The lining of the nose reacts to something that is in the air at some times of the year, mostly pollen."
    ),
    "sleep-apnea": _("Breathing stops again and again during sleep, for several seconds each time."),
    "obstructive-sleep-apnea": _(
        "The throat closes again and again during sleep, so breathing stops for several seconds each time."
    ),
    "pneumonia": _("Germs have inflamed the lungs, and fluid fills some of their small air sacs."),
    "bronchitis": _("The airways in the lungs are inflamed for some days or weeks, usually because of a virus."),
    "cold": _("A virus has inflamed the nose and the throat."),
    "flu": _("An infection with an influenza virus, mostly of the nose, the throat and the lungs."),
    "covid-19": _("An infection with the virus SARS-CoV-2."),
    "viral-sinusitis": _("A virus has inflamed the hollow spaces beside the nose."),
    "chronic-sinusitis": _("The hollow spaces beside the nose stay inflamed for months."),
    "strep-throat": _("Bacteria called streptococci have inflamed the throat."),
    "viral-sore-throat": _("A virus has inflamed the throat."),
    "ear-infection": _("The space behind the eardrum is inflamed."),
    # Stomach, gut, liver
    "acid-reflux": _("Acid from the stomach comes up into the gullet again and again."),
    "gastritis": _("The lining of the stomach is inflamed."),
    "irritable-bowel": _(
        "The belly hurts again and again, and stools are not as usual, although nothing in the gut looks damaged."
    ),
    "constipation": _("Stools are hard, or come less often than usual."),
    "celiac": _(
        "Gluten, a protein in wheat and other grains, makes the body's own defenses attack the lining of the gut."
    ),
    "crohn": _("Parts of the gut stay inflamed for years, sometimes more and sometimes less."),
    "ulcerative-colitis": _("The lining of the large gut stays inflamed for years, sometimes more and sometimes less."),
    "hemorrhoids": _("Swollen veins in or around the end of the gut."),
    "gallstones": _("Hard pieces that form from bile in the gallbladder."),
    "fatty-liver": _("Liver cells store more fat than usual."),
    "cirrhosis": _("Scars have taken the place of much of the liver."),
    "appendicitis": _("The appendix, a small pouch of the gut, is inflamed."),
    # Kidneys and urine
    "kidney-disease": _("For months the kidneys have filtered less than usual, or shown other signs of harm."),
    "kidney-disease-3": _("For months the kidneys have filtered between 30 and 59 milliliters of blood in a minute."),
    "urine-infection": _("Germs have inflamed the bladder or another part of the urinary tract."),
    "kidney-stone": _("A hard piece that forms in a kidney from material dissolved in urine."),
    "large-prostate": _(
        "The prostate has grown, and can press on the tube that carries urine out. This is not cancer."
    ),
    # Mind and nerves
    "depression": _(
        "Low mood, or little joy in anything, that lasts for weeks and is stronger than what most people have now "
        "and then."
    ),
    "anxiety": _("Strong or lasting fear or worry that makes everyday life harder."),
    "lasting-anxiety": _("Worry about many things, on most days and for months, that is hard to stop."),
    "attention-deficit": _("It is hard to pay attention or to sit still, usually since childhood."),
    "insomnia": _("It is hard to fall asleep, or to stay asleep."),
    "migraine": _(
        "Attacks of strong headache, often on one side. During an attack, light, noise or food is hard to bear."
    ),
    "epilepsy": _("Now and then, many nerve cells in the brain fire at once. This causes seizures."),
    "dementia": _("Memory and thinking become weaker over time, which makes everyday life harder."),
    "alzheimer": _("An illness of the brain in which memory and thinking become weaker over time."),
    "parkinson": _(
        "An illness of nerve cells in the brain that control movement. Moving becomes slow, stiff or shaky."
    ),
    "multiple-sclerosis": _("The body's own defenses attack the covering of nerves in the brain and the spinal cord."),
    "carpal-tunnel": _("A nerve is squeezed where it passes through the wrist, so fingers tingle or feel numb."),
    "concussion": _("A blow to the head has disturbed the brain for a while."),
    # Bones, joints, muscles
    "osteoarthritis": _("The cushion of cartilage within joints is worn."),
    "knee-osteoarthritis": _("The cushion of cartilage within a knee is worn."),
    "hip-osteoarthritis": _("The cushion of cartilage within a hip is worn."),
    "rheumatoid-arthritis": _("The body's own defenses attack the lining of joints. The joints swell and hurt."),
    "osteoporosis": _("Bones have become less dense than usual, and break more easily."),
    "low-back-pain": _("Pain in the back, between the ribs and the hips."),
    "back-pain": _("Pain anywhere in the back."),
    "fibromyalgia": _("Pain in many parts of the body for months, with tiredness and light sleep."),
    # Skin and eyes
    "eczema": _("The skin is inflamed, dry and itchy."),
    "atopic-eczema": _("The skin is dry and itchy again and again, usually since childhood. It runs in families."),
    "contact-rash": _("The skin is inflamed where something touched it."),
    "hives": _("Itchy, raised patches of skin that come and go."),
    "psoriasis": _("In places the skin renews itself too fast, and forms thick, scaly patches."),
    "acne": _("Pores of the skin are blocked and inflamed."),
    "glaucoma": _("The nerve of the eye is damaged, mostly by the pressure within the eye."),
    "cataract": _("The lens of the eye has become cloudy."),
    # Womb and ovaries
    "polycystic-ovaries": _("The ovaries make more of some hormones than usual, and release eggs less often."),
    "endometriosis": _("Tissue that is like the lining of the womb grows outside of it."),
    "fibroids": _("Growths of muscle in the wall of the womb. They are not cancer."),
}
