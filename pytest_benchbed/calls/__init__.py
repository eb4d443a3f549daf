"""The broker: who may spend, when, and what is remembered."""
