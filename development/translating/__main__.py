"""Update the catalog and compile it. Says what is not translated yet; the exit code is non-zero while there is any."""

import sys

from development.translating import catalog, finding

FOLDER = finding.ROOT / "locale" / "es" / "LC_MESSAGES"


def main() -> int:
    """Rewrite `django.po` and `django.mo`."""
    source = FOLDER / "django.po"
    known = catalog.read_po(source.read_text()) if source.is_file() else {}
    current = {
        message: known.get(message, ("", "") if message.plural else ("",)) for message in sorted(finding.messages())
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    source.write_text(catalog.write_po(current))
    (FOLDER / "django.mo").write_bytes(catalog.compile_mo(current))
    waiting = [message.singular for message, texts in current.items() if not all(texts)]
    for text in waiting:
        print(f"not translated: {text}")
    print(f"{len(current) - len(waiting)} of {len(current)} strings are translated.")
    return 1 if waiting else 0


if __name__ == "__main__":
    sys.exit(main())
