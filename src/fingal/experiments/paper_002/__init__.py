"""Paper 002: adversarial policy gradient, a policy for boards of every size, and the policy in tree search."""
