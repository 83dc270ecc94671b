"""The sandbox: an invented practice that implements both interfaces faithfully, and misbehaves on request.

It is a second program with its own settings, database and process. It implements the specification independently and
shares no code with the product, so that each side tests the other. README.md beside this file says what it serves.
"""
