"""The screen of the lab: it draws and listens, it computes nothing."""
