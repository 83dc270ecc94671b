"""Fields that token responses of both interfaces have, spelled as the switches say."""

from apps.sandbox import scenarios


def type_and_lifetime(seconds: int) -> dict[str, str | int]:
    """`token_type` and `expires_in` (RFC 6749 section 5.1) of an access token that expires after so many seconds."""
    return {
        "token_type": scenarios.chosen("token_type_case"),
        "expires_in": str(seconds) if scenarios.chosen("expires_in_form") == "text" else seconds,
    }
