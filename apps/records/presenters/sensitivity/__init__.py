"""What somebody may not want to see or to have seen, in three senses with different consequences.

`grave_entries`: it may bring grave news, so that its page asks first (`presenters.grave_news` judges resources).
`delicate`: how somebody lives, and the like. The first page does not name it, and a patient summary leaves it out.
`sensitive`: what many people keep to themselves. A share leaves it out unless its owner includes it.
"""
