# SPDX-License-Identifier: Apache-2.0
# Figures of two runs side by side, as a picture.
from xml.sax.saxutils import escape

ROW, LEFT, WIDTH = 22, 360, 420


def draw(old, new):
    """Bars: how long each figure takes, by how long it took."""
    before = {figure["name"]: figure for figure in old["figures"]}
    rows = [(figure["name"], figure["ratio"] / before[figure["name"]]["ratio"])
            for figure in new["figures"] if figure["name"] in before]
    most = max([2.0, *(ratio for _, ratio in rows)])
    one = LEFT + WIDTH / most
    height = ROW * (len(rows) + 2)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
             f'viewBox="0 0 {LEFT + WIDTH + 60} {height}" '
             'font-family="sans-serif" font-size="12">',
             "<title>Time of each figure by that of the baseline</title>",
             "<style>text{fill:#222}.line{stroke:#888}"
             "@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>"]
    for at, (name, ratio) in enumerate(rows):
        y = ROW * (at + 1)
        colour = "#b4472e" if ratio > 1.1 else "#3a7d5c"
        parts.append(f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">'
                     f"{escape(name)}</text>")
        parts.append(f'<rect x="{LEFT}" y="{y + 3}" height="{ROW - 6}" '
                     f'width="{WIDTH * ratio / most:.1f}" fill="{colour}"/>')
        parts.append(f'<text x="{LEFT + WIDTH * ratio / most + 6:.1f}" '
                     f'y="{y + 14}">{ratio:.2f}</text>')
    parts.append(f'<line class="line" x1="{one:.1f}" x2="{one:.1f}" y1="{ROW}" '
                 f'y2="{height - ROW}"/>')
    parts.append(f'<text x="{one:.1f}" y="{height - 6}" '
                 'text-anchor="middle">as the baseline</text></svg>')
    return "\n".join(parts) + "\n"
