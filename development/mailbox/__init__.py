"""The mail this machine would have sent: kept in a folder, and shown on a page."""

from development.mailbox.backend import MailboxBackend

__all__ = ["MailboxBackend"]
