"""Absolute positions: learned tables, sinusoids, their speeds, their products and where they stop working."""

from pe_course.claims.absolute import integer_division, limits, relations, sinusoids, speeds

CLAIMS = sorted(
    [*sinusoids.CLAIMS, *speeds.CLAIMS, *relations.CLAIMS, *limits.CLAIMS, *integer_division.CLAIMS],
    key=lambda claim: claim.id,
)
