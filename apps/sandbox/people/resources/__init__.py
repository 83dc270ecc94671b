"""How each kind of fact looks as a FHIR resource: one module per resource type.

Where a type exists in both versions its module has two functions, `dstu2(fact, chart)` and `r4(fact, chart)`; a module
with one of them serves a type only that version has here. Element names follow FHIR 1.0.2 and 4.0.1. Values that are
None or empty are dropped afterwards, so the functions state every element they know in the order a reader expects.
"""
