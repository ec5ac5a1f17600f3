"""What ``fingal bench`` runs, one file per topic.

A topic offers ``measure(...) -> dict[str, float | None]``, ``table(results)``, a table for a person, and ``run(...)``,
which measures, prints and returns the results. None stands for a peer that is not installed or does not run.
"""
