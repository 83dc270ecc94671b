"""Turn resources of every FHIR version we copy into small frozen structs that a page can show as they are.

One module reads one kind of entry, named as people name it (`allergies`, `visits`), and `presenting` says which reads
which type. What they all read alike is in a few modules beside them: `elements` (JSON that may be anything),
`codeable_concepts`, `heads`, `naming` (references), `modifiers`, `annotations`, `narratives`, `attachments`, `related`.
What several kinds have is in packages: `datatypes`, `dosing`, `persons`, `plain_names`, `prose`, `sensitivity`. A type
without a module of its own is read by `generic`.
"""
