"""How each kind of fact looks as a FHIR resource: one module per resource type.

If a type exists in both versions, its module has two functions, `dstu2(fact, chart)` and `r4(fact, chart)`; a module
with one of them is for a type that only that version has here. Element names follow FHIR 1.0.2 and 4.0.1. None and
empty values are dropped afterwards, so the functions list every element they know, in the order a reader expects.
"""
