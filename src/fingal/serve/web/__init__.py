"""The web app: play, analyse, learn and watch in a browser."""
