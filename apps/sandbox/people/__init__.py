"""Invented people and the stories of their health.

`facts` says what happened, without a FHIR version; `resources` says how each kind of fact looks in DSTU2 and in R4;
`cast` tells the stories of the named people; `inventing` makes any number of others from a seed. Nobody here exists:
names, addresses and numbers are made up (telephone numbers end in 555-01xx, mail ends in example.org).
"""
