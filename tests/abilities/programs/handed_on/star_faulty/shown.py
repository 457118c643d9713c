from tables import *
