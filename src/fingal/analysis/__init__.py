"""What can be said of a position without playing on: connections, inferior cells, resistance, distance."""
