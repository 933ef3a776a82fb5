"""One file for each kind of laptop, with all that the course needs: ``make workshop``."""
