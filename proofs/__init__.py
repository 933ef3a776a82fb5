"""The proofs: each public function of qlearn against an oracle that no one here wrote.

``python -m proofs`` runs them in full and records the outcome; the book's page of proofs is
made from that record, and the tests run a quick part of each.
"""
