"""What the composition root does once Django's apps are loaded: every process of the site gets the one queue."""

from django.apps import AppConfig

from config.celery import app


class HoldfastConfig(AppConfig):
    """Makes `shared_task` find our queue in every thread of every process, also those that never start a worker."""

    name = "config"
    verbose_name = "Holdfast"

    def ready(self) -> None:
        app.set_default()
