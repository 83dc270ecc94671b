"""Commands of the accounts app, for operators."""
