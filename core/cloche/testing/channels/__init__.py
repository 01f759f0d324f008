"""What every channel must do, as tests that a channel's author inherits."""
