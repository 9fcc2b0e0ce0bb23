"""What the database checks know about schemas: migrations, models, unique keys and readers of a column.

Rails, Django and Alembic migrations are read into one set of operations; Rails and Django models and rules
into names and columns. Nothing here reports a finding: that is for the files in `checks.rules`.
"""
