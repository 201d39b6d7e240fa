# SPDX-License-Identifier: Apache-2.0
"""What a deep copy need not go into: a session of many turns is copied at each of them."""

from __future__ import annotations

import copy
from collections import deque
from typing import Any, Self


class Flat:
    """An object whose containers hold only what never changes: they are copied, no more."""

    def __deepcopy__(self, _: dict[int, Any]) -> Self:
        twin = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, (set, dict, list, deque)):
                setattr(twin, name, value.copy())
        return twin
