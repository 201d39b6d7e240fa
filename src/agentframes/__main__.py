# SPDX-License-Identifier: Apache-2.0
"""``python -m agentframes``."""

import sys

from agentframes.commands import main

if __name__ == "__main__":
    sys.exit(main())
