"""Serving other people's data: FHIR files become records with an account each.

`reading` opens files and yields resources; `versioning` tells DSTU2 from R4; `tidying` gives every resource a legal id
and mends references; `categorizing` lets searches find them; `loading` stores them and makes the accounts.
"""
