"""One file per check, each with its ``CHECK``; `registry` finds them."""
