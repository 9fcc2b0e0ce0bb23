"""One file per comment command; deleting a file removes the command. They do not know each other."""
