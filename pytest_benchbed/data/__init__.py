"""Datasets: index, pins, validation, staging, answers."""
