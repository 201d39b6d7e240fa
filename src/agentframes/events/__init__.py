# SPDX-License-Identifier: Apache-2.0
"""The conversation: signals to typed events, each with a way back to its raw lines."""
