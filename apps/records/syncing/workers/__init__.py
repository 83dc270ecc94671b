"""Workers on sync runs: which one holds a run, how often it sends requests, how long it waits, and what follows if it
dies."""
