"""What must outlive a process and is not memory."""
