"""Paper 003: generations of DQN agents, five architectures, and how they do on boards of other sizes."""
