"""Plans for teaching the course to a room: what to do in which minutes.

A plan is made of blocks, and a block of sections of the pages. How long each takes is counted, not
written down: see :mod:`workshop.plans.pace`.
"""
