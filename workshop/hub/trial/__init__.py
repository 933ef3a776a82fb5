"""Try a real hub with students that are programs, and with strangers."""
