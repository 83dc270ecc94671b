"""The top-level elements of the resource types that are served, for each version, from FHIR 1.0.2 and 4.0.1.

`REQUIRED` has the elements with a minimum of one (a choice as "value[x]"), `ALLOWED` all that may occur, with one name
for each type of a choice.
"""

COMMON = {"resourceType", "id", "meta", "implicitRules", "language", "text", "contained", "extension",
          "modifierExtension"}  # fmt: skip


def _words(text):
    return set(text.split())


ALLOWED = {
    "dstu2": {
        "Patient": _words(
            "identifier active name telecom gender birthDate deceasedBoolean deceasedDateTime address maritalStatus"
            " multipleBirthBoolean multipleBirthInteger photo contact animal communication careProvider"
            " managingOrganization link"
        ),
        "AllergyIntolerance": _words(
            "identifier onset recordedDate recorder patient reporter substance status criticality type category"
            " lastOccurence note reaction"
        ),
        "CarePlan": _words(
            "identifier subject status context period author modified category description addresses support"
            " relatedPlan participant goal activity note"
        ),
        "Condition": _words(
            "identifier patient encounter asserter dateRecorded code category clinicalStatus verificationStatus"
            " severity onsetDateTime onsetString onsetPeriod abatementDateTime abatementBoolean stage evidence"
            " bodySite notes"
        ),
        "Device": _words(
            "identifier type note status manufacturer model version manufactureDate expiry udi lotNumber owner location"
            " patient contact url"
        ),
        "DiagnosticReport": _words(
            "identifier status category code subject encounter effectiveDateTime effectivePeriod issued performer"
            " request specimen result imagingStudy image conclusion codedDiagnosis presentedForm"
        ),
        "DocumentReference": _words(
            "masterIdentifier identifier subject type class author custodian authenticator created indexed status"
            " docStatus relatesTo description securityLabel content context"
        ),
        "Encounter": _words(
            "identifier status statusHistory class type priority patient episodeOfCare incomingReferral participant"
            " appointment period length reason indication hospitalization location serviceProvider partOf"
        ),
        "Goal": _words(
            "identifier subject startDate startCodeableConcept targetDate targetQuantity category description status"
            " statusDate statusReason author priority addresses note outcome"
        ),
        "Immunization": _words(
            "identifier status date vaccineCode patient wasNotGiven reported performer requester encounter manufacturer"
            " location lotNumber expirationDate site route doseQuantity note explanation reaction vaccinationProtocol"
        ),
        "Location": _words(
            "identifier status name description mode type telecom address physicalType position managingOrganization"
            " partOf"
        ),
        "Medication": _words("code isBrand manufacturer product package"),
        "MedicationOrder": _words(
            "identifier dateWritten status dateEnded reasonEnded patient prescriber encounter reasonCodeableConcept"
            " reasonReference note medicationCodeableConcept medicationReference dosageInstruction dispenseRequest"
            " substitution priorPrescription"
        ),
        "MedicationStatement": _words(
            "identifier patient informationSource dateAsserted status wasNotTaken reasonNotTaken"
            " reasonForUseCodeableConcept reasonForUseReference effectiveDateTime effectivePeriod note"
            " supportingInformation medicationCodeableConcept medicationReference dosage"
        ),
        "Observation": _words(
            "identifier status category code subject encounter effectiveDateTime effectivePeriod issued performer"
            " valueQuantity valueCodeableConcept valueString valueRange valueRatio valueSampledData valueAttachment"
            " valueTime valueDateTime valuePeriod dataAbsentReason interpretation comments bodySite method specimen"
            " device referenceRange related component"
        ),
        "Organization": _words("identifier active type name telecom address partOf contact"),
        "Practitioner": _words(
            "identifier active name telecom address gender birthDate photo practitionerRole qualification communication"
        ),
        "Procedure": _words(
            "identifier subject status category code notPerformed reasonNotPerformed bodySite reasonCodeableConcept"
            " reasonReference performer performedDateTime performedPeriod encounter location outcome report"
            " complication followUp request notes focalDevice used"
        ),
        "Provenance": _words("target period recorded reason activity location policy agent entity signature"),
    },
    "r4": {
        "Patient": _words(
            "identifier active name telecom gender birthDate deceasedBoolean deceasedDateTime address maritalStatus"
            " multipleBirthBoolean multipleBirthInteger photo contact communication generalPractitioner"
            " managingOrganization link"
        ),
        "AllergyIntolerance": _words(
            "identifier clinicalStatus verificationStatus type category criticality code patient encounter"
            " onsetDateTime"
            " onsetAge onsetPeriod onsetRange onsetString recordedDate recorder asserter lastOccurrence note reaction"
        ),
        "CarePlan": _words(
            "identifier instantiatesCanonical instantiatesUri basedOn replaces partOf status intent category title"
            " description subject encounter period created author contributor careTeam addresses supportingInfo goal"
            " activity note"
        ),
        "CareTeam": _words(
            "identifier status category name subject encounter period participant reasonCode reasonReference"
            " managingOrganization telecom note"
        ),
        "Condition": _words(
            "identifier clinicalStatus verificationStatus category severity code bodySite subject encounter"
            " onsetDateTime onsetAge onsetPeriod onsetRange onsetString abatementDateTime abatementAge abatementPeriod"
            " recordedDate recorder asserter stage evidence note"
        ),
        "Coverage": _words(
            "identifier status type policyHolder subscriber subscriberId beneficiary dependent relationship period"
            " payor"
            " class order network costToBeneficiary subrogation contract"
        ),
        "Device": _words(
            "identifier definition udiCarrier status statusReason distinctIdentifier manufacturer manufactureDate"
            " expirationDate lotNumber serialNumber deviceName modelNumber partNumber type specialization version"
            " property patient owner contact location url note safety parent"
        ),
        "DiagnosticReport": _words(
            "identifier basedOn status category code subject encounter effectiveDateTime effectivePeriod issued"
            " performer resultsInterpreter specimen result imagingStudy media conclusion conclusionCode presentedForm"
        ),
        "DocumentReference": _words(
            "masterIdentifier identifier status docStatus type category subject date author authenticator custodian"
            " relatesTo description securityLabel content context"
        ),
        "Encounter": _words(
            "identifier status statusHistory class classHistory type serviceType priority subject episodeOfCare basedOn"
            " participant appointment period length reasonCode reasonReference diagnosis account hospitalization"
            " location serviceProvider partOf"
        ),
        "Endpoint": _words(
            "identifier status connectionType name managingOrganization contact period payloadType payloadMimeType"
            " address header"
        ),
        "Goal": _words(
            "identifier lifecycleStatus achievementStatus category priority description subject startDate"
            " startCodeableConcept target statusDate statusReason expressedBy addresses note outcomeCode"
            " outcomeReference"
        ),
        "Immunization": _words(
            "identifier status statusReason vaccineCode patient encounter occurrenceDateTime occurrenceString recorded"
            " primarySource reportOrigin location manufacturer lotNumber expirationDate site route doseQuantity"
            " performer note reasonCode reasonReference isSubpotent subpotentReason education programEligibility"
            " fundingSource reaction protocolApplied"
        ),
        "Location": _words(
            "identifier status operationalStatus name alias description mode type telecom address physicalType position"
            " managingOrganization partOf hoursOfOperation availabilityExceptions endpoint"
        ),
        "MedicationDispense": _words(
            "identifier partOf status statusReasonCodeableConcept category medicationCodeableConcept"
            " medicationReference"
            " subject context supportingInformation performer location authorizingPrescription type quantity daysSupply"
            " whenPrepared whenHandedOver destination receiver note dosageInstruction substitution detectedIssue"
            " eventHistory"
        ),
        "MedicationRequest": _words(
            "identifier status statusReason intent category priority doNotPerform reportedBoolean reportedReference"
            " medicationCodeableConcept medicationReference subject encounter supportingInformation authoredOn"
            " requester"
            " performer performerType recorder reasonCode reasonReference instantiatesCanonical instantiatesUri basedOn"
            " groupIdentifier courseOfTherapyType insurance note dosageInstruction dispenseRequest substitution"
            " priorPrescription detectedIssue eventHistory"
        ),
        "MedicationStatement": _words(
            "identifier basedOn partOf status statusReason category medicationCodeableConcept medicationReference"
            " subject context effectiveDateTime effectivePeriod dateAsserted informationSource derivedFrom reasonCode"
            " reasonReference note dosage"
        ),
        "Observation": _words(
            "identifier basedOn partOf status category code subject focus encounter effectiveDateTime effectivePeriod"
            " effectiveTiming effectiveInstant issued performer valueQuantity valueCodeableConcept valueString"
            " valueBoolean valueInteger valueRange valueRatio valueSampledData valueTime valueDateTime valuePeriod"
            " dataAbsentReason interpretation note bodySite method specimen device referenceRange hasMember derivedFrom"
            " component"
        ),
        "Organization": _words("identifier active type name alias telecom address partOf contact endpoint"),
        "Practitioner": _words(
            "identifier active name telecom address gender birthDate photo qualification communication"
        ),
        "PractitionerRole": _words(
            "identifier active period practitioner organization code specialty location healthcareService telecom"
            " availableTime notAvailable availabilityExceptions endpoint"
        ),
        "Procedure": _words(
            "identifier instantiatesCanonical instantiatesUri basedOn partOf status statusReason category code subject"
            " encounter performedDateTime performedPeriod performedString performedAge performedRange recorder asserter"
            " performer location reasonCode reasonReference bodySite outcome report complication complicationDetail"
            " followUp note focalDevice usedReference usedCode"
        ),
        "Provenance": _words(
            "target occurredPeriod occurredDateTime recorded policy location reason activity agent entity signature"
        ),
        "Questionnaire": _words(
            "url identifier version name title derivedFrom status experimental subjectType date publisher contact"
            " description useContext jurisdiction purpose copyright approvalDate lastReviewDate effectivePeriod code"
            " item"
        ),
        "QuestionnaireResponse": _words(
            "identifier basedOn partOf questionnaire status subject encounter authored author source item"
        ),
        "RelatedPerson": _words(
            "identifier active patient relationship name telecom gender birthDate address photo period communication"
        ),
        "ServiceRequest": _words(
            "identifier instantiatesCanonical instantiatesUri basedOn replaces requisition status intent category"
            " priority doNotPerform code orderDetail quantityQuantity subject encounter occurrenceDateTime"
            " occurrencePeriod asNeededBoolean authoredOn requester performerType performer locationCode"
            " locationReference reasonCode reasonReference insurance supportingInfo specimen bodySite note"
            " patientInstruction relevantHistory"
        ),
        "Specimen": _words(
            "identifier accessionIdentifier status type subject receivedTime parent request collection processing"
            " container condition note"
        ),
    },
}

REQUIRED = {
    "dstu2": {
        "AllergyIntolerance": _words("patient substance"),
        "CarePlan": _words("status text"),
        "Condition": _words("patient code verificationStatus"),
        "Device": _words("type"),
        "DiagnosticReport": _words("status code subject effective[x] issued performer"),
        "DocumentReference": _words("type indexed status content"),
        "Encounter": _words("status"),
        "Goal": _words("description status"),
        "Immunization": _words("status vaccineCode patient wasNotGiven reported"),
        "MedicationOrder": _words("medication[x]"),
        "MedicationStatement": _words("patient status medication[x]"),
        "Observation": _words("status code"),
        "Procedure": _words("subject status code"),
        "Provenance": _words("target recorded agent"),
    },
    "r4": {
        "AllergyIntolerance": _words("patient"),
        "CarePlan": _words("status intent subject"),
        "Condition": _words("subject"),
        "Coverage": _words("status beneficiary payor"),
        "DiagnosticReport": _words("status code"),
        "DocumentReference": _words("status content"),
        "Encounter": _words("status class"),
        "Endpoint": _words("status connectionType payloadType address"),
        "Goal": _words("lifecycleStatus description subject"),
        "Immunization": _words("status vaccineCode patient occurrence[x]"),
        "MedicationDispense": _words("status medication[x]"),
        "MedicationRequest": _words("status intent medication[x] subject"),
        "MedicationStatement": _words("status medication[x] subject"),
        "Observation": _words("status code"),
        "Procedure": _words("status subject"),
        "Provenance": _words("target recorded agent"),
        "Questionnaire": _words("status"),
        "QuestionnaireResponse": _words("status"),
        "RelatedPerson": _words("patient"),
        "ServiceRequest": _words("status intent subject"),
    },
}

LISTS = {
    "dstu2": {
        "Patient": _words("name careProvider identifier telecom address communication"),
        "Procedure": _words("bodySite notes focalDevice"),
        "CarePlan": _words("category addresses goal activity participant author"),
        "DiagnosticReport": _words("result codedDiagnosis presentedForm"),
        "DocumentReference": _words("author content"),
        "Encounter": _words("type participant reason location"),
        "Observation": _words("performer referenceRange component"),
        "Provenance": _words("target agent"),
        "Practitioner": _words("practitionerRole identifier"),
        "AllergyIntolerance": _words("reaction"),
        "MedicationOrder": _words("dosageInstruction"),
        "Immunization": _words("note vaccinationProtocol"),
        "Goal": _words("addresses note"),
    },
    "r4": {
        "Patient": _words("name generalPractitioner identifier telecom address communication"),
        "AllergyIntolerance": _words("category note reaction"),
        "CarePlan": _words("category addresses goal activity"),
        "CareTeam": _words("participant managingOrganization"),
        "Condition": _words("category note"),
        "Coverage": _words("payor class identifier"),
        "Device": _words("udiCarrier deviceName"),
        "DiagnosticReport": _words("category performer specimen result conclusionCode presentedForm"),
        "DocumentReference": _words("category author content"),
        "Encounter": _words("type participant reasonCode location"),
        "Endpoint": _words("payloadType"),
        "Goal": _words("target addresses note"),
        "Immunization": _words("performer note protocolApplied"),
        "Location": _words("type telecom"),
        "MedicationDispense": _words("performer authorizingPrescription"),
        "MedicationRequest": _words("category reasonCode note dosageInstruction"),
        "MedicationStatement": _words("note dosage"),
        "Observation": _words("category performer interpretation note referenceRange component"),
        "Organization": _words("type telecom address"),
        "Practitioner": _words("name identifier"),
        "PractitionerRole": _words("specialty telecom endpoint"),
        "Procedure": _words("performer reasonCode bodySite note focalDevice"),
        "Provenance": _words("target agent"),
        "QuestionnaireResponse": _words("item"),
        "RelatedPerson": _words("relationship name telecom"),
        "ServiceRequest": _words("category reasonCode note"),
    },
}
