"""What the course prints, on other machines than this one.

A setting is a machine of another kind, as far as this one can be made to behave like it: by
variables that torch's libraries read, and by a hook that Python runs at its start. Every
notebook is executed in every setting, and each output is compared with the stored one.
"""
