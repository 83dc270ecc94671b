"""How a connection ends: disconnected by its patient, or dropped because nobody confirmed it."""
