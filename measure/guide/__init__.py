"""The configs of the decision guide that PyTorch alone cannot run, run by their programs.

``make guide-runs`` installs these programs in environments of their own, because two of them build
for minutes or want another version of a library, and records what came out in
``qlearn/course/guide_runs.json``. ``qlearn.course.guide_runs`` reads the record for the book.
"""
