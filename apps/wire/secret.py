"""A credential that cannot be printed, logged, compared slowly or pickled by accident."""

import hashlib
import hmac
from typing import NoReturn, final


@final
class Secret:
    """One string, which only `reveal()` returns.

    Raises ValueError for an empty one: a credential that is absent is None.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        if not value:
            raise ValueError("A secret is never empty")
        self._value = value

    def reveal(self) -> str:
        """The value itself. Pass it on at once, and keep no copy."""
        return self._value

    def fingerprint(self) -> str:
        """Eight hexadecimal digits of its SHA-256: enough to distinguish two secrets, too few to find one."""
        return hashlib.sha256(self._octets()).hexdigest()[:8]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._octets(), other._octets())

    __hash__ = None  # type: ignore[assignment]  # a hash table would compare in variable time

    def __repr__(self) -> str:
        return "<secret>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A secret is not pickled or copied")

    def _octets(self) -> bytes:
        return self._value.encode("utf-8", "surrogatepass")
