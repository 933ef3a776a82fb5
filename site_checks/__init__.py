"""Checks of the built site: its links, and what a real browser finds on every page."""
