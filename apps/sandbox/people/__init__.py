"""Invented people and the stories of their health.

`facts` says what happened, independent of the FHIR version; `resources` turns each kind of fact into DSTU2 and R4;
`cast` has the stories of the named people; `inventing` makes any number of others from a seed. Nobody here exists:
names, addresses and numbers are made up (telephone numbers end in 555-01xx, mail addresses in example.org).
"""
