"""Keep the Spanish of every string of ours in one readable file, and compile it, with nothing installed but Django.

`python -m development.translating` finds what is marked for translation in `apps`, `config` and `templates`, adds what
is new to `locale/es/LC_MESSAGES/django.po`, drops what is gone, and compiles the `.mo` that Django reads. Both files
are committed, so that nobody who runs Holdfast needs gettext; a test holds them to the source and to each other.
"""
