"""The Spanish catalog: Django reads what people edit, and no translation breaks its sentence."""

import gettext
import io
import re
from pathlib import Path

import pytest

from development.translating import catalog, finding
from development.translating.catalog import Message

FOLDER = finding.ROOT / "locale" / "es" / "LC_MESSAGES"
CATALOG = catalog.read_po((FOLDER / "django.po").read_text())
FAMILIAR = {
    *("tú", "tu", "tus", "te", "ti", "tuyo", "tuya", "contigo", "vos", "vosotros", "os", "has", "haz", "eres", "estás"),
    *("puedes", "tienes", "quieres", "debes", "sabes", "necesitas"),
}
# What was written in two ways, and is now in one: what no sentence may hold, and what it holds instead.
SETTLED = {
    r"[«»]": "“ ”, as in English beside it",
    r"sesión (de nuevo )?con (un|su|cada|el) proveedor": "sesión en",
    r"\b(actualizaciones|datos nuevos)\b": "novedades",
    r"\banotó\b": "registró",
    r"\bmesa de ayuda\b": "servicio de ayuda",
    r"\b[Cc]ontacte con\b": "comuníquese con",
    r"\b(la|La|ninguna) llave (que abre|de su expediente)": "clave; llaves are passkeys, and keys of staff",
    r"\bcopias de seguridad viejas\b": "copias de respaldo antiguas",
    r"(?<!hoy )\ba las? (%\(time\)s|\{time\})": "a comma or a colon, as one o'clock has another article",
    r"\b([Hh]asta|[Dd]esde) (%\((moment|until)\)s|\{moment\})": "hasta el, desde el; before a time alone, a colon",
    r"\bafiliado": "miembro",
    r"\b([Aa]pagad|[Ee]ncendid|[Ee]nci[eé]nd|[Ee]ncender)": "desactivado, activado",
    r"(?<![({])\bendpoints?\b": "punto de acceso",
    r"\bvíncul|\bvincula": "enlace, conectado",
    r"\b[Uu]rgencias\b": "emergencia; here it would be urgent care",
    r"\bexpedientes? de salud\b": "expediente médico",
    r"\bcopias? de seguridad\b": "copia de respaldo",
    r"\b[Ll]laves? de datos\b": "clave de datos",
    r"\b(arreglarlo|[Nn]os corresponde)\b": "nos toca corregirlo",
    r"\b([Ee]l|[Uu]n|[Ss]u) id\b|^id\b": "identificador",
    r"\b[Dd]uradera\b": "crónica, persistente",
    r"\bcomprobaci(ón|ones)\b": "revisión",
    r"\b[Rr]esumen de paciente\b": "resumen del paciente",
    r"\benlazad[oa]s?\b": "conectado",
    r"\bpeticiones (de datos|a la vez)\b": "solicitudes; peticiones are the wishes of patients",
    r"\b([Ff]allo|[Ee]rror) suyo\b": "del proveedor; suyo may be the patient's",
    r"\b[Ee]quipo médico\b": "equipo de atención",
}
# Words of statuses, as the tables of the patient experience have them.
TABLED = {
    "Not active now": "No activo ahora",
    "Came back": "Ha vuelto",
    "Status not given": "Estado no indicado",
    "Not pursued": "No se sigue",
    "Reached, keeping it up": "Alcanzada y mantenida",
    "Paused by the provider": "En pausa por el proveedor",
    "On the list, not confirmed": "En la lista, sin confirmar",
    "Test canceled, no result": "Prueba cancelada, sin resultado",
    "Started, not finished": "Iniciado, no terminado",
    "The connection went to sleep": "La conexión quedó inactiva",
    "a.m.": "a.\N{NO-BREAK SPACE}m.",
    "p.m.": "p.\N{NO-BREAK SPACE}m.",
}
# A patient may be a woman: the pronoun and the words that fit everybody.
MEN_ALONE = (
    r"\b(lo (envió|envía) aquí|lo atendió|enviarlo allí|[Pp]ara estar seguro|¿Es nuevo|está cubierto|"
    r"[Uu]sted mismo lo dijo)\b"
)
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}|<[^>]+>")


class TestTheCatalog:
    def test_is_compiled_as_it_is_written(self):
        assert (FOLDER / "django.mo").read_bytes() == catalog.compile_mo(CATALOG)

    def test_is_written_as_the_program_writes_it(self):
        assert (FOLDER / "django.po").read_text() == catalog.write_po(CATALOG)

    def test_holds_the_strings_of_the_source_and_no_others(self):
        found = finding.messages()
        assert sorted(found - set(CATALOG)) == [], "run: python -m development.translating"
        assert sorted(set(CATALOG) - found) == [], "run: python -m development.translating"

    def test_has_the_spanish_of_every_string(self):
        assert [message.singular for message, texts in CATALOG.items() if not all(texts)] == []

    def test_keeps_every_placeholder_and_tag(self):
        broken = [
            translated
            for message, texts in CATALOG.items()
            for said, translated in zip((message.singular, message.plural), texts, strict=False)
            if translated and sorted(PLACEHOLDER.findall(translated)) != sorted(PLACEHOLDER.findall(said))
        ]
        assert broken == []

    def test_says_usted_throughout(self):
        texts = [text for texts in CATALOG.values() for text in texts]
        assert [text for text in texts if FAMILIAR & set(re.findall(r"\w+", text.lower()))] == []

    @pytest.mark.parametrize("pattern", SETTLED)
    def test_has_one_word_for_one_thing(self, pattern):
        texts = [text for texts in CATALOG.values() for text in texts]
        assert [text for text in texts if re.search(pattern, text)] == [], f"say: {SETTLED[pattern]}"

    @pytest.mark.parametrize("english", TABLED)
    def test_has_the_words_of_the_tables(self, english):
        assert CATALOG[Message(english)] == (TABLED[english],)

    def test_speaks_to_women_as_well(self):
        texts = [text for texts in CATALOG.values() for text in texts]
        assert [text for text in texts if re.search(MEN_ALONE, text)] == []


class TestCompiling:
    def test_gives_what_the_standard_library_reads(self):
        entries = {
            Message("one", "many"): ("uno", "muchos"),
            Message('with "quotes"\nand a line'): ("con «comillas»\ny una línea",),
            Message("May", context="month"): ("mayo",),
            Message("not done"): ("",),
        }
        read = gettext.GNUTranslations(io.BytesIO(catalog.compile_mo(entries)))
        assert read.ngettext("one", "many", 1) == "uno"
        assert read.ngettext("one", "many", 2) == "muchos"
        assert read.gettext('with "quotes"\nand a line') == "con «comillas»\ny una línea"
        assert read.pgettext("month", "May") == "mayo"
        assert read.gettext("not done") == "not done"

    def test_survives_being_written_and_read(self):
        entries = {Message('a "b"\nc\\', context="d"): ("é",), Message("e", "f"): ("g", "h"), Message("z"): ("",)}
        assert catalog.read_po(catalog.write_po(entries)) == entries

    def test_refuses_a_file_it_does_not_understand(self):
        with pytest.raises(ValueError, match="Not a line"):
            catalog.read_po('msgid "a"\nmsgfoo "b"\n')


class TestFinding:
    def test_reads_templates(self):
        source = (
            '{% load i18n %}{% translate "One" %}{% include "x" with y=_("Two") %}'
            "{% blocktranslate count n=n trimmed %}\n {{ n }} day\n{% plural %}\n {{ n }} days\n{% endblocktranslate %}"
            '{% translate "May" context "month" %}'
        )
        assert set(finding.in_template(source)) == {
            Message("One"),
            Message("Two"),
            Message("%(n)s day", "%(n)s days"),
            Message("May", context="month"),
        }

    def test_reads_modules(self):
        source = "_('One')\ngettext('Two' ' and')\nngettext('day', 'days', n)\npgettext('month', 'May')\nother('no')"
        assert set(finding.in_python(source)) == {
            Message("One"),
            Message("Two and"),
            Message("day", "days"),
            Message("May", context="month"),
        }

    def test_refuses_what_cannot_be_read_off(self):
        with pytest.raises(ValueError, match="only a literal"):
            list(finding.in_python("_(name)"))

    def test_leaves_the_sandbox_out(self, tmp_path: Path):
        for place in ("apps/sandbox", "apps/accounts", "templates"):
            (tmp_path / place).mkdir(parents=True)
        (tmp_path / "apps/sandbox/page.py").write_text("_('Sandbox')")
        (tmp_path / "apps/accounts/page.py").write_text("_('Site')")
        assert finding.messages(tmp_path) == {Message("Site")}
