"""The checks of ``draftgate doctor``: a folder for each area, a file for each check."""
