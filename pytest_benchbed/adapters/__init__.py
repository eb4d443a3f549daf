"""How a system under test is reached."""
