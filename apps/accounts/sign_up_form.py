"""What signing up asks besides address and password. Not in `forms.py`, which allauth must load after this."""

from django import forms
from django.core.validators import RegexValidator
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User

# Mail programs turn addresses into links, and our mail goes to whatever e-mail address was typed: no spam through us.
_ADDRESS = RegexValidator(
    r"[/\\:@<>]|\.\w{2}", _("Enter only a first name, without an address of any kind."), inverse_match=True
)


class FirstNameForm(forms.Form):
    """The base of allauth's sign-up form. It adds a first name, used only for the greeting in our mail."""

    first_name = forms.CharField(
        label=_("First name (optional)"),
        help_text=_("For the greeting in our e-mails."),
        max_length=60,
        required=False,
        validators=[_ADDRESS],
        widget=forms.TextInput(attrs={"autocomplete": "given-name"}),
    )

    def signup(self, request: HttpRequest, user: User) -> None:
        """Nothing more to do: the adapter stores the name. allauth requires this method."""
