"""What the room `geometry` computes: a table, and what each figure shows of it."""
