"""Serving other people's data: FHIR files become records with an account each.

`reading` opens files and yields resources; `versioning` tells DSTU2 from R4; `references` gives every resource a legal
id and rewrites references; `categorizing` lets searches find them; `storing` keeps them, and `enrolling` makes the
accounts. `loading` calls these in order.
"""
