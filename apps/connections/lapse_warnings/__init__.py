"""Links that lapse: who is to be warned when. One mail is sent for each end and each time the patient chose."""
