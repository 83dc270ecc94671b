"""Files of documents in the formats that providers send: PDF, C-CDA, RTF, HTML and text, made from a title and lines.

The C-CDA has an xml-stylesheet instruction that points to a host of its maker, as in the observed interface: a client
must never fetch it.
"""

from collections.abc import Sequence
from html import escape

_STYLESHEET = b'<?xml-stylesheet type="text/xsl" href="https://styles.example.com/cda.xsl"?>'
_FONTS = b"<< /F1 5 0 R >>"
_CONTROL = {"\\": r"\\", "{": r"\{", "}": r"\}"}


def pdf(title: str, lines: Sequence[str]) -> bytes:
    """One page in Helvetica. Letters outside Latin-1 become question marks."""
    shown = [title, "", *lines]
    moves = "".join(f"({_pdf_text(line)}) Tj 0 -18 Td " for line in shown)
    content = f"BT /F1 12 Tf 72 720 Td {moves}ET".encode("latin-1", "replace")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font %s >> >>" % _FONTS,
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    made, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return b"%sxref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        made,
        len(objects) + 1,
        table,
        len(objects) + 1,
        len(made),
    )


def ccda(title: str, person: str, sections: Sequence[tuple[str, str, Sequence[str]]]) -> bytes:
    """A small C-CDA document: sections are (LOINC code, title, lines)."""
    told = "".join(
        f'<component><section><code code="{escape(code)}" codeSystem="2.16.840.1.113883.6.1"/>'
        f"<title>{escape(name)}</title><text><list>"
        + "".join(f"<item>{escape(line)}</item>" for line in lines)
        + "</list></text></section></component>"
        for code, name, lines in sections
    )
    body = (
        '<ClinicalDocument xmlns="urn:hl7-org:v3"><realmCode code="US"/>'
        '<typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/>'
        '<templateId root="2.16.840.1.113883.10.20.22.1.2" extension="2015-08-01"/>'
        '<code code="34133-9" codeSystem="2.16.840.1.113883.6.1" displayName="Summarization of Episode Note"/>'
        f"<title>{escape(title)}</title>"
        f"<recordTarget><patientRole><patient><name>{escape(person)}</name></patient></patientRole></recordTarget>"
        f"<component><structuredBody>{told}</structuredBody></component></ClinicalDocument>"
    )
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + _STYLESHEET + b"\n" + body.encode()


def rtf(title: str, lines: Sequence[str]) -> bytes:
    """A Rich Text Format document; letters outside ASCII are written as \\u escapes."""
    shown = "".join(rf"\par {_rtf_text(line)}" for line in lines)
    return (r"{\rtf1\ansi\deff0{\fonttbl{\f0 Arial;}}" + rf"{{\b {_rtf_text(title)}}}" + shown + "}").encode("ascii")


def html(title: str, lines: Sequence[str]) -> bytes:
    """An HTML document with a script in it, as careless systems send: a client must show it inert."""
    shown = "".join(f"<p>{escape(line)}</p>" for line in lines)
    script = "<script>document.title = 'this script ran'</script>"
    return f"<!doctype html><html><body><h1>{escape(title)}</h1>{shown}{script}</body></html>".encode()


def text(title: str, lines: Sequence[str]) -> bytes:
    """Plain text in UTF-8."""
    return "\n".join((title, "", *lines)).encode()


def _pdf_text(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _rtf_text(line: str) -> str:
    return "".join(_CONTROL.get(letter, letter) if letter < "\x80" else rf"\u{ord(letter)}?" for letter in line)
