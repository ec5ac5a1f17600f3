"""Papers done again: one file or folder for each, with its settings, its protocol, its figures and tables."""
