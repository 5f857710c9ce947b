"""The contract of a room over its whole State: what it takes is drawn, what it says is read."""
