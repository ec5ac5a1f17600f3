"""Fingal for others to talk to: the Hex Text Protocol and the web page."""
