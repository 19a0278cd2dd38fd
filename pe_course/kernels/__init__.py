"""Fast paths. What they compute is what ``nn.attention`` computes with ``backend="eager"``; tests hold them to it."""
