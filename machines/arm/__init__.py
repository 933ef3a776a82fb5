"""The course on an ARM computer that is emulated: built from packages, in _build/arm.

Debian's packages for ARM are unpacked into a folder, never installed, and qemu runs the Python
in it, one ARM instruction after the other. PyPI's wheels for ARM bring torch. Of another computer
this has the instructions and the libraries, not the speed.
"""
