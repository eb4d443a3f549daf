"""Pairing and the gate: pure functions of saved runs."""
