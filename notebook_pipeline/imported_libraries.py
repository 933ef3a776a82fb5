"""Importing this imports the libraries of notebooks: the server of forked kernels does so once."""

from notebook_pipeline.libraries import import_libraries

import_libraries()
