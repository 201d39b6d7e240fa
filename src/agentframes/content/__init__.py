# SPDX-License-Identifier: Apache-2.0
"""Content: what the body of a message consists of, as typed payloads."""
