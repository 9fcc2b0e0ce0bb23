"""Agents that ask a model: what they are told, what they may read, and what their answers are worth.

A model's answer is untrusted text. Nothing here posts, approves, writes or reads the environment, and no tool can.
"""
