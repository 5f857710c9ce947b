"""What rooms are made of: the Room itself, figures, formula, numbers, questions, URL state, theme."""
