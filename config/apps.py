"""What the composition root does once Django's apps are loaded: set up the queue for every process, and register
checks.
"""

from django.apps import AppConfig
from django.core.checks import register

from config import checks
from config.celery import app


class HoldfastConfig(AppConfig):
    """Makes `shared_task` find our queue in every thread of every process, including those that never start a
    worker."""

    name = "config"
    verbose_name = "Holdfast"

    def ready(self) -> None:
        app.set_default()
        for check, tag in checks.CHECKS:
            register(check, tag)
