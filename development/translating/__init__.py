"""Keep the Spanish translation of all our strings in one readable file, and compile it, with only Django installed.

`python -m development.translating` finds the strings marked for translation in `apps`, `config` and `templates`, adds
new ones to `locale/es/LC_MESSAGES/django.po`, drops old ones, and compiles the `.mo` that Django reads. Both files are
committed, so that nobody who runs Holdfast needs gettext; a test checks them against the source and each other.
"""
