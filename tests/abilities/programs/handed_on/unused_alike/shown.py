from tables import prepared

__all__ = ["prepared"]
