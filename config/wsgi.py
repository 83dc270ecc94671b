"""The WSGI application: the site, or the sandbox where DJANGO_SETTINGS_MODULE says so."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")

application = get_wsgi_application()
