"""The start page: who you can be, and what you can break."""
