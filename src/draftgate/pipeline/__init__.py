"""The review pipeline: one plain function per step, from a change to findings that wait for approval."""
