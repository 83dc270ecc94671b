"""The offline provider: an invented practice that speaks both interfaces faithfully, and misbehaves on request.

A second program with its own settings, database and process. It implements the specification a second time and shares
no code with the product, so that each side proves the other. README.md beside this file says what it serves.
"""
