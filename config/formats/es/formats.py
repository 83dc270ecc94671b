"""3 de mayo de 2026, 9:40 a. m. Spanish as written in the United States: twelve hours, decimal point."""

from django.utils.translation import gettext_noop as _

DATE_FORMAT = r"j \d\e F \d\e Y"
TIME_FORMAT = "g:i a"
DATETIME_FORMAT = r"j \d\e F \d\e Y, g:i a"
YEAR_MONTH_FORMAT = r"F \d\e Y"
MONTH_DAY_FORMAT = r"j \d\e F"
SHORT_DATE_FORMAT = DATE_FORMAT
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
DECIMAL_SEPARATOR = "."  # a decimal comma is a tenfold risk in a result
THOUSAND_SEPARATOR = ","

# What "a" above writes: Django's own Spanish leaves out the space, at which ours ends no line.
HALVES_OF_A_DAY = (_("a.m."), _("p.m."))
