"""Give the site and the archives to everybody in a room: ``make serve HOST=0.0.0.0``."""
