# SPDX-License-Identifier: Apache-2.0
"""A conversation in the terminal, painted with rich or as JSON lines; only `show` imports this.

What came from a file reaches the terminal as text: `plain` takes control characters out of it,
`paper` looks once more at all that is printed, and no text is ever read as rich markup.
"""
