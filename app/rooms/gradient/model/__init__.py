"""What the room `gradient` computes.

Read `run` first (the tokens of a run), then `moves` (the rows a step moves), `pull` (rows that learn), `tied`
(a table that is the output layer too), `ways` (one gradient computed in several ways) and `views` (what each
figure shows of them).
"""

from __future__ import annotations

from pathlib import Path

from app.kit.words import Words

WORDS = Words(str(Path(__file__).parent))
