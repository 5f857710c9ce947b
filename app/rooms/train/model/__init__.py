"""What the room `train` computes: the stored runs, the order that is left, and the character rows."""
