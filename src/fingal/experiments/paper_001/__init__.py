"""Paper 001: NeuroHex, deep Q-learning by self-play after a lesson in electrical resistance."""
