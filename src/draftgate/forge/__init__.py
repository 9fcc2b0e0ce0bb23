"""Where a change lives and where its review is held and published: one folder per forge, behind narrow roles."""
