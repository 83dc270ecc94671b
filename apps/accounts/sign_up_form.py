"""What signing up asks beside address and password. Apart from `forms.py`, which allauth may only load after this."""

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User


class FirstNameForm(forms.Form):
    """The base of allauth's sign-up form: a first name, for the greeting in our mail and nothing else."""

    first_name = forms.CharField(
        label=_("First name (optional)"),
        help_text=_("For the greeting in our e-mails."),
        max_length=60,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "given-name"}),
    )

    def signup(self, request: HttpRequest, user: User) -> None:
        """Nothing further: the adapter keeps the name. allauth requires this method."""
