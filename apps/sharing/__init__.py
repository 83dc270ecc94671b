"""What somebody shows of one person's record to somebody else: until a date, by a link and a passcode of its own.

`making` opens a share, `visiting` lets in whoever has both, `showing` reads what they see, `receipts` tells its owner
who came, `ending` ends it. Nothing of the record is copied: what is shown is read anew each time (decision 0027).
"""
