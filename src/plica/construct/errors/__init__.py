"""How far a network is from its target: enclosures on cells and on boxes, certificates, and their independent check."""
