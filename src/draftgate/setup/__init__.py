"""What `draftgate init` would write into a repository, decided from what the repository shows.

Values in, values out: the files are looked for, read and written elsewhere. What is written for GitHub and GitLab is
kept in `files/`, which the published examples and the template are copies of.
"""
