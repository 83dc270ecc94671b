"""The switches of the sandbox, as tables: what can be chosen, what is usual, and what each choice does."""
