"""`seed`: what the sandbox needs to be used by hand."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    """Creates the staff account."""

    help = "Make the staff account admin/admin, which approves applications. Safe to repeat."

    def handle(self, **options: Any) -> None:  # noqa: ARG002
        staff, _ = User.objects.get_or_create(username="admin", defaults={"is_staff": True, "is_superuser": True})
        staff.set_password("admin")
        staff.save()
        self.stdout.write("staff: admin / admin")
