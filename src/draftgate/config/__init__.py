"""The configuration: what `draftgate.yml`, the environment, inputs and the command line may say.

Nothing here opens a file or reads the process environment; bytes and variables are handed in.
"""
