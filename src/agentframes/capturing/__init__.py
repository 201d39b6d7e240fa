# SPDX-License-Identifier: Apache-2.0
"""Real output of real CLIs, made offline: a scripted model server, scenarios, a recorder."""
