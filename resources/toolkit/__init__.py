"""Toolkit of the workbench: one verb a file, JSON lines on stdout, logs on stderr."""
