"""The pictures of this room: arrows, dots with means, ranked lists, a map of words."""
