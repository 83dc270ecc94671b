"""The International Patient Summary: one R4 document about one person, made from the records of several providers.

Resources of either version become minimal valid R4, with codes and text as sent. The document follows these rules of
the implementation guide hl7.fhir.uv.ips (STU 1.1 and 2.0) and of R4, cited by the names of their sections. The tests
check each:

- Bundle (IPS) and R4 "Documents", bdl-9 to bdl-11: type document, identifier with system and value, timestamp, the
  Composition first, a fullUrl for each entry; no search, request or response.
- Composition (IPS): identifier, status, type LOINC 60591-5, subject the Patient, date, title; its author is a Device,
  as nobody curated it; each section with title, code and text (a narrative), and with entries or an emptyReason, never
  both (ips-comp-1, cmp-2).
- Sections, required: Medication Summary 10160-0, Allergies and Intolerances 48765-2, Problems 11450-4; recommended:
  Immunizations 11369-6, History of Procedures 47519-4, Medical Devices 46264-8, Diagnostic Results 30954-2; optional:
  Vital Signs 8716-3, Past History of Illness 11348-0, Plan of Care 18776-5, Social History 29762-2; and, where the
  record has something for them, Alerts 104605-1 (STU 2), History of Pregnancy 10162-6, Advance Directives 42348-3; the
  first and the last also where what may be theirs did not come, or does not open.
  Functional Status 47420-5 takes Conditions and ClinicalImpressions that nobody marks as such: those are problems.
- "Empty Sections and Missing Data": where nothing is known of a required section it has one entry whose code says that
  there is no information, in the code system absent-unknown-uv-ips of STU 1 and in the SNOMED CT of STU 2; where a
  provider recorded that there is none, that, unless another lists what refutes it, hides something, or something does
  not open. Nobody's silence is turned into "none known". A code that nobody sent is data-absent-reason's.
- The same, for what a person chose not to share with the document's reader: a required section has the emptyReason
  withheld, which STU 2 allows (STU 1 requires an entry, and any entry would be untrue); other sections are left out.
  Nothing counts, names or refers to what is kept back.
- Patient (IPS): a name (ips-pat-1) and a birth date, absent with a reason where it is; telecom, address, contact
  (pat-1), communication and generalPractitioner where they were sent, doctors as Practitioner (IPS) or Organization
  (IPS) where the record holds them; in what is shared no way to reach anybody, and no doctor of theirs. R4 "Documents"
  (presentation): the narrative of the Patient comes first.
- AllergyIntolerance (IPS), ait-1 and ait-2; Condition (IPS), con-3 to con-5; MedicationStatement, MedicationRequest,
  Immunization, Procedure, DeviceUseStatement (IPS): code, subject and, where demanded, a time, else why it is absent.
  Dosage.text is the whole instruction; Dosage.timing stands beside it where it came as its version has it.
- Flag (IPS): status, code, subject; DocumentReference: status, content, subject.
- Observation Results and R4 vital signs: category, code, subject, effective, performer, and a value or why there is
  none.
- DiagnosticReport (IPS): code, subject, effective and performer, or why they are absent; its results are those that the
  document has, and those that the report contains, as entries of their own.
- R4 "References": every reference is to an entry of this document, as urn:uuid.

Ids are made from connection and resource, so that the same record gives the same document at the same moment.
"""
