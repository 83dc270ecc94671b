"""How much of other people's data shows a name and a date, once the sandbox has served it and the site has synced it.

`ground` starts a sandbox that serves the files, `copying` links and syncs, `showing` reads what was stored as pages do,
`counting` counts what is missing, `table` prints it, and `reporting` calls these in order.
"""
