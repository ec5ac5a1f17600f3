"""Play measured against perfect play, on boards whose positions the solver knows."""
