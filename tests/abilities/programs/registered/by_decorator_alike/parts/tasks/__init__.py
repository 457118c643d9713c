from parts.tasks import scoring
