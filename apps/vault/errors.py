"""What can go wrong in the vault. Every text is constant: it names neither holder, place, key nor value.

VaultError
├── CannotOpen     somebody changed or moved the value, or sealed it under another key: ours to look into
├── KeyMissing     the operator must act: a wrapping key is not in VAULT_KEYS, or a data key was lost
├── Shredded       nobody can act: the holder's data key was destroyed on purpose
└── WeakKey        the operator must act: VAULT_KEYS cannot be used as it stands
"""


class VaultError(Exception):
    """The vault cannot do what was asked."""

    def __init__(self) -> None:
        super().__init__(self.__doc__)


class CannotOpen(VaultError):
    """The sealed value was changed, moved from its place, or sealed under another key."""


class KeyMissing(VaultError):
    """No key is at hand for this holder: a wrapping key is not in VAULT_KEYS, or the data key was lost."""


class Shredded(VaultError):
    """The holder's data key was destroyed; nothing can be sealed or opened for it again."""


class WeakKey(VaultError):
    """VAULT_KEYS cannot be used: run `manage.py check`, which says which rule it breaks."""
