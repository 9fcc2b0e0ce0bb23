"""Python code as `impact.callers` reads it: what a change does to a signature, who calls it, and what breaks there."""
