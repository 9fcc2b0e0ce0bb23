"""What a review is made of: values and pure functions, without any I/O."""
