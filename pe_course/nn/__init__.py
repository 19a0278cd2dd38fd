"""torch modules of every method, any device and dtype, built on the tables of ``pe_course.reference``."""

from pe_course.nn.attention import attention
from pe_course.nn.base import PositionMethod
from pe_course.nn.registry import build, methods

__all__ = ["PositionMethod", "attention", "build", "methods"]
