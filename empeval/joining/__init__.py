"""Which record belongs to which segment, and which segments to one dialogue."""
