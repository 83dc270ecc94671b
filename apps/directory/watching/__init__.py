"""How endpoints are: what a check finds and what changed, which are ill or can be linked, how links fared."""
