from . import scoring
