"""What the simulated forges share: requests and answers, faults, the log, serving over HTTP, and git's own server.

It knows no forge.
"""
