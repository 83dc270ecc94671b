"""What somebody may not want seen, in three senses that differ in what follows.

`grave_entries`: it may bring grave news, so that its page asks first (`presenters.grave_news` tells it of a resource).
`delicate`: how somebody lives, and the like. The first page does not name it, and a patient summary leaves it out.
`sensitive`: what many people keep to themselves. A share leaves it out unless its owner wants it told.
"""
