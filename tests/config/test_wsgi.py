"""The WSGI application loads all modules before the first request, and takes them out of garbage collection."""

import os
import subprocess
import sys

import pytest

from config import env

_ASKED = """
import gc, config.wsgi
from django.template import Engine
from django.urls import get_resolver
loaded = {key for loader in Engine.get_default().template_loaders for key in loader.get_template_cache}
print(gc.get_freeze_count(), "base.html" in loaded, get_resolver()._populated)
"""


@pytest.mark.parametrize(
    ("settings", "has_base"),
    [("config.settings.test", "True"), ("config.settings.sandbox_test", "False")],  # whose few templates are an app's
)
def test_keeps_what_it_loaded_out_of_the_way(settings, has_base):
    surroundings = {**os.environ, "DJANGO_SETTINGS_MODULE": settings, "LOG_LEVEL": "CRITICAL"}
    asked = [sys.executable, "-c", _ASKED]
    told = subprocess.run(asked, cwd=env.ROOT, env=surroundings, capture_output=True, text=True, check=True, timeout=60)
    frozen, *loaded = told.stdout.split()
    assert int(frozen) > 50_000  # objects
    assert loaded == [has_base, "True"]
