"""What providers wrote, as plain text and as blocks that a page can show: XHTML, HTML, XML and RTF."""
