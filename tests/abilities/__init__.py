"""What ddplint is able to see: small programs, each with look-alikes that must stay quiet."""
