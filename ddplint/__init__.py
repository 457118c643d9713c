"""ddplint finds the places where the ranks of a distributed PyTorch trainer disagree about what comes next."""

__version__ = "0.1.0"
