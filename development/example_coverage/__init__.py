"""Other people's data, served by the sandbox, synced over HTTP, read as pages do: what shows a name and a date.

`ground` gives a sandbox that serves the files, `copying` links and syncs, `showing` makes pages of what was stored,
`counting` says what they lack, `table` tells it, and `reporting` does it all in this order.
"""
