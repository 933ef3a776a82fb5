"""Start an archive on this machine with the network off, and measure how long it takes."""
