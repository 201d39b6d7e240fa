# SPDX-License-Identifier: Apache-2.0
"""The pages that `agentframes matrix` writes: pure functions from a corpus to Markdown."""
