"""The words that reveal what is sensitive, in English and Spanish, in lower case and without accents.

A word with other meanings is included unless these are common: owners are shown what is left out, but nobody can take
back what was shared by mistake. A denial counts as well, since it reveals what was asked about.

We search thousands of texts. For speed, the expressions for beginnings of words are together, behind a single check for
a word boundary, and an expression with a lookbehind first checks whether its word is there at all.
"""

import re
from typing import Final

_MIND: Final = (
    r"\b(?:mental(?! (?:nerve|foramen))|mood\b|anxi|ansi(?:edad|os)|panic|ocd\b|(?:hypo|hipo)?mani(?:a|c|ac[oa]?s?)\b|"
    r"ptsd\b|tept\b|conduct disorder|grief\b|duelo\b|adhd\b|tdah\b|fear of\b|sexual)|"
    r"(?=depress)(?<!\bst )(?<!segment )(?<!respiratory )(?<!marrow )(?<!cardiac )depress(?!ed (?:skull|fracture))|"
    r"psych|psiq|psico|behaviou?ral|conductual|trastornos? de (?:la )?conducta|"
    r"depresi(?:on(?! respirat| medular|es medular)|v)|dysthym|distimi|estado de animo|angustia|phobi|fobi[ac]|obsessi|"
    r"obsesi|compulsi|bipolar(?! (?:hemi|hip|prosth|electro|cauter|endo|hemart))|cyclothym|ciclotim|schizo|esquizo|"
    r"delusion|delirante|hallucinat|alucinaci|stress (?:disorder|reaction)|traumatic stress|estres (?:pos|agudo)|"
    r"adjustment (?:disorder|reaction)|trastornos? (?:adaptativ|de adaptaci|de ajuste)|personality|personalidad|"
    r"dissociat|disociativ|oppositional|desafiante|bereave|nervosa\b|anorexia nerv|bulimi|binge|eating disorder|"
    r"trastornos? (?:de la )?(?:conducta )?alimentari|autis[mt]|asperger|attention.deficit|deficit de (?:la )?atencion|"
    r"hyperactivity disorder|intellectual disab|discapacidad intelectual|retraso mental|dementia|demencia|alzheimer|"
    r"tourette|^stress(?: \(finding\))?$|gender (?:dysphor|identit|incongr|affirm|reassign)|"
    r"(?:disforia|identidad|incongruencia) de genero|transgender|transgenero|trans?sexual"
)
_SUBSTANCES: Final = (
    r"\b(?:ivdu\b|vap(?:e|ing|eo)\b)|"
    r"(?=alcohol|etilic)(?<!non)(?<!non-)(?<!non )(?<!\bno )|drunk|embriaguez|delirium tremens|"
    r"(?:drug|substance|stimulant|sedative|inhalant|needle)s?[ -](?:us(?:e|ing|er)|depend|withdraw|screen|test|seek|"
    r"habit|shar)|"
    r"(?:inject\w*|intravenous|illicit|street|recreational) drug|misus|"
    r"(?:consumo|uso|dependencia|abstinencia) (?:de|a|al|por) (?:\w+ )?(?:droga|sustancia|opi|sedante|estimulante)|"
    r"sindromes? de abstinencia|drogadic|drogodepend|farmacodepend|toxicoman|addict|adicci|adict|overdos|sobredosis|"
    r"withdrawal (?:syndrome|symptom|state|delirium)|detoxif|desintoxic|opioid|opiate|opiace|opioide|methadone|"
    r"metadona|cocain|heroin|amphetamin|anfetamin|cannabi|marij?uana|marihuana|hallucinogen|alucinogen|toxicolog|"
    r"tobacco|nicotin|smok(?:e[rs]?|ing)\b|tabaco|tabaqu|fumador|fumar\b"
)
_INFECTIONS: Final = (
    r"\b(?:hiv(?![a-z])|vih\b|cd4\b|sida\b|rpr\b|vdrl\b|hsv-?2\b|hpv\b|vph\b|st[di]s?\b)|"
    r"(?=aids\b)(?<!hearing )(?<!hearing-)(?<!walking )(?<!mobility )(?<!visual )(?<!teaching )\baids\b|"
    r"immunodeficiency virus|inmunodeficiencia (?:humana|adquirida)|acquired immun|pre-?expos(?:ure|icion)|syphili|"
    r"sifili|treponem|gonorr|gonoc|chlamyd|clamid|trichomon|tricomon|venere|"
    r"(?:genital|anal|anogenital) (?:herpes|wart)|herpes (?:simplex )?(?:genital|anal|anogenital)|"
    r"herpesviral .*genital|verrugas? (?:genital|anal|venerea)|condilom|condylom|type 2 herpes|papil+omavirus|"
    r"papiloma humano|sexually|transmision sexual|mycoplasma genital"
)
_REPRODUCTION: Final = (
    r"\b(?:fet(?:us|al)\b|feto|labor\b(?! force)|parto\b|iud\b|diu\b|ivf\b|fiv\b|d ?& ?[ce]\b|hcg\b)|"
    r"abort|miscarr|pregnan|embaraz|gestati|gestacion|gravid|(?:pre|ante|peri|post)-?natal|partum\b|eclampsia|"
    r"child ?birth|(?:vaginal|instrumental|breech|preterm|forceps) delivery|pos(?:t)?parto|puerper|obstet|maternity|"
    r"maternidad|stillb|stillborn|mortinat|mortinac|(?:fetal|fetus) d(?:eath|emise)|"
    r"intrauterine (?:death|demise|dev|contracep)|muerte (?:fetal|intrauterina)|obito fetal|products of conception|"
    r"blighted ovum|hydatidiform|hidatidiforme|c(?:a)?esarean|cesarea|contracep|anticoncep|birth control|"
    r"dispositivo intrauter|steriliz|sterility|esteriliz|esterilidad|tubal (?:lig|occl)|ligadura de trompas|"
    r"ligadura tubarica|vasectom|infertil|fertility|fertilidad|in vitro f|insemin|erectil|impoten|"
    r"dilat(?:ion|ation) (?:and|&) (?:curett|evac)|legrado|uterine evacuation|gonadotropin|gonadotrofin|"
    r"menstrual period|ultima (?:regla|menstruacion)|female genital mutilation|mutilacion genital"
)
_VIOLENCE: Final = (
    r"\b(?:raped?\b|violacion|violad[ao]|prision)|"
    r"abus[eoiad]|maltreat|maltrat|mistreat|violen|assault|agresion|battered|neglect|negligencia|"
    r"abandono (?:infantil|de)|domestic|intrafamiliar|intimate partner|incest|molest(?:ed|ation|er|ing)|traffick|"
    r"trata de personas|tortur|victim|homicid|suicid|parasuic|better off dead|mejor muert|"
    r"self[ -]?(?:harm|inflict|injur|mutilat|poison)|autolesi|autoinfli|autoagres|lesiones? autoprovocad|homeless|"
    r"sin (?:hogar|techo)|(?:food|housing) insecur|inseguridad alimentari|employ|labor force|desemple|"
    r"social (?:contact|isolation)|aislamiento social|refugee|refugiad|criminal|incarcerat|prison|encarcel"
)
_WORDS: Final = re.compile(f"{_MIND}|{_SUBSTANCES}|{_INFECTIONS}|{_REPRODUCTION}|{_VIOLENCE}")


def are_in(text: str) -> bool:
    """Whether any of the words is in this text, which must be normalized (`normalizing.normalized`)."""
    return _WORDS.search(text) is not None
