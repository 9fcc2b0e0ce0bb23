"""Comment commands: what they are (`base`), where they are found (`registry`), and one file for each (`verbs`)."""
