"""Whole models: simulated with codes in place of numbers, and measured layer by layer."""
