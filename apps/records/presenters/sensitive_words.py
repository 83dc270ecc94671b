"""The words that tell what is felt to be sensitive, in English and Spanish, small and without accents.

A word that has other meanings is here unless those are common: what is left out for it is named to its owner, and what
is told by mistake cannot be taken back. A denial counts as well, since it tells what was asked about.
"""

import re
from typing import Final

_MIND: Final = (
    r"\bmental(?! (?:nerve|foramen))|psych|psiq|psico|behaviou?ral|conductual|trastornos? de (?:la )?conducta|"
    r"(?<!\bst )(?<!segment )(?<!respiratory )(?<!marrow )(?<!cardiac )depress(?!ed (?:skull|fracture))|"
    r"depresi(?:on(?! respirat| medular|es medular)|v)|dysthym|distimi|\bmood\b|estado de animo|\banxi|"
    r"\bansi(?:edad|os)|angustia|\bpanic|phobi|fobi[ac]|obsessi|obsesi|compulsi|\bocd\b|"
    r"bipolar(?! (?:hemi|hip|prosth|electro|cauter|endo|hemart))|\b(?:hypo|hipo)?mani(?:a|c|ac[oa]?s?)\b|cyclothym|"
    r"ciclotim|schizo|esquizo|delusion|delirante|hallucinat|alucinaci|stress (?:disorder|reaction)|traumatic stress|"
    r"\bptsd\b|\btept\b|estres (?:pos|agudo)|adjustment (?:disorder|reaction)|\bconduct disorder|"
    r"trastornos? (?:adaptativ|de adaptaci|de ajuste)|personality|personalidad|dissociat|disociativ|oppositional|"
    r"desafiante|bereave|\bgrief\b|\bduelo\b|nervosa\b|anorexia nerv|bulimi|binge|eating disorder|"
    r"trastornos? (?:de la )?(?:conducta )?alimentari|autis[mt]|asperger|attention.deficit|"
    r"deficit de (?:la )?atencion|\badhd\b|\btdah\b|hyperactivity disorder|intellectual disab|"
    r"discapacidad intelectual|retraso mental|dementia|demencia|alzheimer|tourette|^stress(?: \(finding\))?$|"
    r"\bfear of\b|gender (?:dysphor|identit|incongr|affirm|reassign)|(?:disforia|identidad|incongruencia) de genero|"
    r"transgender|transgenero|trans?sexual|\bsexual"
)
_SUBSTANCES: Final = (
    r"(?<!non)(?<!non-)(?<!non )(?<!\bno )alcohol|(?<!non)(?<!non-)(?<!non )(?<!\bno )etilic|drunk|embriaguez|"
    r"delirium tremens|"
    r"(?:drug|substance|stimulant|sedative|inhalant|needle)s?[ -](?:us(?:e|ing|er)|depend|withdraw|screen|test|seek|"
    r"habit|shar)|"
    r"(?:inject\w*|intravenous|illicit|street|recreational) drug|\bivdu\b|misus|"
    r"(?:consumo|uso|dependencia|abstinencia) (?:de|a|al|por) (?:\w+ )?(?:droga|sustancia|opi|sedante|estimulante)|"
    r"sindromes? de abstinencia|drogadic|drogodepend|farmacodepend|toxicoman|addict|adicci|adict|overdos|sobredosis|"
    r"withdrawal (?:syndrome|symptom|state|delirium)|detoxif|desintoxic|opioid|opiate|opiace|opioide|methadone|"
    r"metadona|cocain|heroin|amphetamin|anfetamin|cannabi|marij?uana|marihuana|hallucinogen|alucinogen|toxicolog|"
    r"tobacco|nicotin|smok(?:e[rs]?|ing)\b|tabaco|tabaqu|fumador|fumar\b|\bvap(?:e|ing|eo)\b"
)
_INFECTIONS: Final = (
    r"\bhiv(?![a-z])|\bvih\b|immunodeficiency virus|inmunodeficiencia (?:humana|adquirida)|acquired immun|\bcd4\b|"
    r"(?<!hearing )(?<!hearing-)(?<!walking )(?<!mobility )(?<!visual )(?<!teaching )\baids\b|\bsida\b|"
    r"pre-?expos(?:ure|icion)|syphili|sifili|treponem|\brpr\b|\bvdrl\b|gonorr|gonoc|chlamyd|clamid|trichomon|tricomon|"
    r"venere|(?:genital|anal|anogenital) (?:herpes|wart)|herpes (?:simplex )?(?:genital|anal|anogenital)|"
    r"herpesviral .*genital|verrugas? (?:genital|anal|venerea)|condilom|condylom|\bhsv-?2\b|type 2 herpes|\bhpv\b|"
    r"\bvph\b|papil+omavirus|papiloma humano|sexually|transmision sexual|\bst[di]s?\b|mycoplasma genital"
)
_REPRODUCTION: Final = (
    r"abort|miscarr|pregnan|embaraz|gestati|gestacion|gravid|(?:pre|ante|peri|post)-?natal|partum\b|eclampsia|"
    r"\bfet(?:us|al)\b|\bfeto|child ?birth|\blabor\b(?! force)|\bparto\b|"
    r"(?:vaginal|instrumental|breech|preterm|forceps) delivery|pos(?:t)?parto|puerper|obstet|maternity|maternidad|"
    r"stillb|stillborn|mortinat|mortinac|(?:fetal|fetus) d(?:eath|emise)|intrauterine (?:death|demise|dev|contracep)|"
    r"muerte (?:fetal|intrauterina)|obito fetal|products of conception|blighted ovum|hydatidiform|hidatidiforme|"
    r"c(?:a)?esarean|cesarea|contracep|anticoncep|birth control|\biud\b|\bdiu\b|dispositivo intrauter|steriliz|"
    r"sterility|esteriliz|esterilidad|tubal (?:lig|occl)|ligadura de trompas|ligadura tubarica|vasectom|infertil|"
    r"fertility|fertilidad|in vitro f|\bivf\b|\bfiv\b|insemin|erectil|impoten|"
    r"dilat(?:ion|ation) (?:and|&) (?:curett|evac)|\bd ?& ?[ce]\b|legrado|uterine evacuation|gonadotropin|"
    r"gonadotrofin|\bhcg\b|menstrual period|ultima (?:regla|menstruacion)|female genital mutilation|mutilacion genital"
)
_VIOLENCE: Final = (
    r"abus[eoiad]|maltreat|maltrat|mistreat|violen|assault|agresion|\braped?\b|\bviolacion|\bviolad[ao]|battered|"
    r"neglect|negligencia|abandono (?:infantil|de)|domestic|intrafamiliar|intimate partner|incest|"
    r"molest(?:ed|ation|er|ing)|traffick|trata de personas|tortur|victim|homicid|suicid|parasuic|better off dead|"
    r"mejor muert|self[ -]?(?:harm|inflict|injur|mutilat|poison)|autolesi|autoinfli|autoagres|lesiones? autoprovocad|"
    r"homeless|sin (?:hogar|techo)|(?:food|housing) insecur|inseguridad alimentari|employ|labor force|desemple|"
    r"social (?:contact|isolation)|aislamiento social|refugee|refugiad|criminal|incarcerat|prison|encarcel|\bprision"
)
_WORDS: Final = re.compile(f"{_MIND}|{_SUBSTANCES}|{_INFECTIONS}|{_REPRODUCTION}|{_VIOLENCE}")


def are_in(text: str) -> bool:
    """Whether any is in this text, which is spelled plainly (`spelling.plainly`)."""
    return _WORDS.search(text) is not None
