"""What signing up asks beside address and password. Apart from `forms.py`, which allauth may only load after this."""

from django import forms
from django.core.validators import RegexValidator
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User

# An address of any kind: mail programs make links of them, and our mail goes to whoever's address was typed.
_ADDRESS = RegexValidator(
    r"[/\\:@<>]|\.\w{2}", _("Write a first name alone, without an address of any kind."), inverse_match=True
)


class FirstNameForm(forms.Form):
    """The base of allauth's sign-up form: a first name, for the greeting in our mail and nothing else."""

    first_name = forms.CharField(
        label=_("First name (optional)"),
        help_text=_("For the greeting in our e-mails."),
        max_length=60,
        required=False,
        validators=[_ADDRESS],
        widget=forms.TextInput(attrs={"autocomplete": "given-name"}),
    )

    def signup(self, request: HttpRequest, user: User) -> None:
        """Nothing further: the adapter keeps the name. allauth requires this method."""
