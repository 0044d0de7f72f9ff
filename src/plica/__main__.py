"""``python -m plica`` is the ``plica`` command."""

from plica.cli import main

if __name__ == "__main__":
    main()
