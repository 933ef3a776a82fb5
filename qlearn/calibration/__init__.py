"""Calibration: observers, and which rule of a configuration decides."""
