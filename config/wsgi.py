"""The WSGI application: the site, or the sandbox if DJANGO_SETTINGS_MODULE says so."""

import gc
import sys
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application
from django.template import Engine
from django.urls import get_resolver

from config import charsets, env, startup_errors

_NOT_STARTED = 3  # by which gunicorn knows that no other worker would start either, and ends with it


def _load_pages() -> None:
    """Load URLs, views and templates now, rather than with the first pages."""
    len(get_resolver().reverse_dict)
    engine = Engine.get_default()
    for folder in map(Path, engine.dirs):
        for path in folder.rglob("*.html"):
            engine.get_template(path.relative_to(folder).as_posix())


try:
    env.choose_settings(otherwise="config.settings.production")
    application = get_wsgi_application()
    application.request_class = charsets.Request
except ImproperlyConfigured as error:
    sys.stderr.write(f"{startup_errors.sentence(error)}\n")
    sys.exit(_NOT_STARTED)

# What is loaded by now stays for good. Scanning it at each garbage collection made one page in twenty take a fifth of a
# second longer than the others.
_load_pages()
gc.collect()
gc.freeze()
