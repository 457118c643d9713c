import time


class Interval:
    def __init__(self, minutes):
        self.seconds = minutes * 60
        self.last = time.monotonic()

    def due(self):
        now = time.monotonic()
        if now - self.last >= self.seconds:
            self.last = now
            return True
        return False
