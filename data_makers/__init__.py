"""Programs that made the data in qlearn/course/digits/data; nothing else runs them."""
