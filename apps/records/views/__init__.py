"""The pages of records, reached through their owner; nothing clinical is in a title or an address."""
