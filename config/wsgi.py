"""The WSGI application: the site, or the sandbox where DJANGO_SETTINGS_MODULE says so."""

import gc
import os
from pathlib import Path

from django.core.wsgi import get_wsgi_application
from django.template import Engine
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")


def _load_pages() -> None:
    """The addresses with their views, and our templates, which the first pages would load."""
    len(get_resolver().reverse_dict)
    engine = Engine.get_default()
    for folder in map(Path, engine.dirs):
        for path in folder.rglob("*.html"):
            engine.get_template(path.relative_to(folder).as_posix())


application = get_wsgi_application()

# What is loaded by now stays for good. Looked through for garbage again and again, it made one page in twenty take a
# fifth of a second longer than the others.
_load_pages()
gc.collect()
gc.freeze()

# What a page makes is gone with its last name, without a look for circles: a look after every 700 objects made long
# pages a twentieth longer, and the slowest of them a tenth. So many objects are a few megabytes.
_OBJECTS_BETWEEN_LOOKS = 20_000
gc.set_threshold(_OBJECTS_BETWEEN_LOOKS, *gc.get_threshold()[1:])
