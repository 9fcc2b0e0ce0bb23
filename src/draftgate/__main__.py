"""``python -m draftgate`` and the ``draftgate`` program."""

from draftgate.cli.main import main

if __name__ == "__main__":
    main()
