"""Notebooks: found, run, brought into one form, and held to the rules."""
