"""The control API of the sandbox and its page, only for programs and people on this machine."""
