"""Fast paths. What they compute is what ``nn.attention`` computes with ``backend="eager"``; tests hold them to it."""

import pe_course._torch  # noqa: F401  (says what to install where torch is missing)
