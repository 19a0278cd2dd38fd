"""Imported first by the rooms that need torch, so that a reader without it is told what to install."""

from pe_course._extras import needs

needs("torch", "torch")
