"""The command line: arguments, environment and streams in, exit codes out; every decision is made below it."""
