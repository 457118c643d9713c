from parts.meeting import score
