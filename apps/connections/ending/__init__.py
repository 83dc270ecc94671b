"""How a connection ends: the patient disconnects it, or it is dropped because nobody confirmed it."""
