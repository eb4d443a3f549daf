"""Everything that imports pytest; nobody imports it."""
