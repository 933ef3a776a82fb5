"""What a change touches, so that ``make check`` runs that and nothing else."""
