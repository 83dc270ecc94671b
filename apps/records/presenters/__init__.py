"""Turn resources of every FHIR version that we copy into small frozen structs that a page can show as they are.

Each module reads one kind of entry and has the name that people use for it (`allergies`, `visits`); `presenting` maps
resource types to modules. A few modules read what all resources have in common: `elements` (JSON that may be anything),
`codeable_concepts`, `heads`, `naming` (references), `modifiers`, `annotations`, `narratives`, `attachments`, `related`.
Packages read what several kinds have in common: `datatypes`, `dosing`, `persons`, `plain_names`, `prose`,
`sensitivity`. `generic` reads the types that have no module of their own.
"""
