# SPDX-License-Identifier: Apache-2.0
"""Facts: what a caller wants to know of a finished run, folded from its signals."""
