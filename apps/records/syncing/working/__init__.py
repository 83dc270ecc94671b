"""Workers on sync runs: who holds one, how often they ask, how long they wait, and what follows where they die."""
