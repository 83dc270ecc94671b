"""The switches of the sandbox, as tables: their values, the default, and what each value does."""
