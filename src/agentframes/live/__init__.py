# SPDX-License-Identifier: Apache-2.0
"""Runs of the installed CLIs: started, watched, kept, and told of; for POSIX systems."""
