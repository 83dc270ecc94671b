"""Show a part of one person's record to somebody else: by a link with a passcode of its own, for a limited time.

`making` opens a share, `visiting` lets in whoever has link and passcode, `showing` reads what they see, `owned_shares`
tells its owner who came, `ending` ends it. Nothing of the record is copied: a share is read anew each time (decision
0027).
"""
