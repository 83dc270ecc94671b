"""3 de mayo de 2026, 9:40 a.m. Spanish as written in the United States: twelve hours, decimal point."""

DATE_FORMAT = r"j \d\e F \d\e Y"
TIME_FORMAT = "g:i a"
DATETIME_FORMAT = r"j \d\e F \d\e Y, g:i a"
YEAR_MONTH_FORMAT = r"F \d\e Y"
MONTH_DAY_FORMAT = r"j \d\e F"
SHORT_DATE_FORMAT = DATE_FORMAT
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
DECIMAL_SEPARATOR = "."  # a decimal comma is a tenfold risk in a result
THOUSAND_SEPARATOR = ","
