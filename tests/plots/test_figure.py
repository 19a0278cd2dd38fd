"""What every figure of the book promises: two themes, one text, the same bytes each time, no global state."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest

from pe_course.plots import absolute, alibi, attention, continuous, extrapolation, figure, relative, theme
from pe_course.reference import bias
from pe_course.reference.attention import attention_weights

WORDS = "dog bites man"
ROWS = np.random.default_rng(0).standard_normal((3, 4))
TERMS = dict.fromkeys(("one", "two", "three", "four"), ROWS[:, :3])
REVERSED = " ".join(reversed(WORDS.split()))

FIGURES = {
    "heat_map": lambda: absolute.heat_map(16, 8),
    "heat_map_concat": lambda: absolute.heat_map(16, 8, layout="concat", endpoint=True),
    "waves": lambda: absolute.waves(20, 16, [0, 7]),
    "wavelengths": lambda: absolute.wavelengths(32, 100),
    "kernel": lambda: absolute.kernel([4, 16], 20),
    "same_turn": lambda: absolute.same_turn(8, 1, 5, [0, 4]),
    "similarity": lambda: absolute.similarity(10, np.random.default_rng(0).standard_normal((12, 8))),
    "products": lambda: absolute.products(8, 16),
    "beyond_training": lambda: absolute.beyond_training(32, 64, 128, [2, 14]),
    "token_outputs": lambda: attention.token_outputs({WORDS: ROWS, REVERSED: ROWS[::-1]}),
    "attention_maps": lambda: attention.attention_maps({WORDS: attention_weights(ROWS, ROWS)}),
    "order_leaks": lambda: attention.order_leaks({"one layer": [0.5, 0.0], "two layers": [0.5, 0.2]}, ["a", "b"]),
    "counting_head": lambda: attention.counting_head(6),
    "distance_grid": lambda: relative.distance_grid(WORDS.split()),
    "four_terms": lambda: relative.four_terms(TERMS, TERMS, WORDS.split()),
    "bucket_stairs": lambda: relative.bucket_stairs(140),
    "head_tables": lambda: relative.head_tables(np.eye(32, 2), 8, [0, 1]),
    "memory": lambda: relative.memory([128, 2048], heads=2),
    "curves": lambda: continuous.curves(12),
    "near_share": lambda: continuous.near_share({"linear": bias.linear_distance_bias}, [30, 100], 10),
    "networks": lambda: continuous.beyond_training({"line": [([[-0.5]], None)]}, 4, 8),
    "fire_fractions": lambda: continuous.fire_fractions([16, 64], 32.0),
    "penalties": lambda: alibi.penalties(4, {"slope 1/2": 0.5}),
    "slope_rows": lambda: alibi.slope_rows({"8 heads": bias.alibi_slopes(8)}),
    "windows": lambda: alibi.windows(bias.alibi_slopes(4), 100),
    "counted_weights": lambda: alibi.counted_weights({"ALiBi": [0.25, 0.75]}),
    "published_perplexity": lambda: extrapolation.published_perplexity(512, {"alibi": {512: 19.7, 1024: 18.7}}),
    "unseen_angles": lambda: extrapolation.unseen_angles(16, 100, 200),
    "score_beyond": lambda: extrapolation.score_beyond([1.0, 0.5], [1.0, 0.0], [0.1], 40, 2),
    "entropies": lambda: extrapolation.entropies([1.0], [128, 512], 128),
    "frequency_maps": lambda: extrapolation.frequency_maps(
        {"half": [0.5, 0.05], "third": [0.3, 0.01]}, 100, 2, base=100.0
    ),
    "ramps": lambda: extrapolation.ramps(64, 1024),
    "remapped_distances": lambda: extrapolation.remapped_distances(64, 16, leaky_factor=4, group=4),
    "falling_biases": lambda: extrapolation.falling_biases(1000),
    "query_scales": lambda: extrapolation.query_scales({"one": [1.0, 1.0], "two": [1.0, 2.0]}, [100, 1000]),
    "first_step": lambda: extrapolation.first_step({"none": [0.1, 0.1], "t5": [0.1, 0.9]}, [0, 1], "weight"),
}


class Images(HTMLParser):
    def __init__(self, html: str):
        super().__init__()
        self.found: list[dict] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        assert tag == "img"
        self.found.append(dict(attrs))


@pytest.fixture(scope="module", params=FIGURES)
def drawn(request):
    return FIGURES[request.param], FIGURES[request.param]()


def test_it_is_the_same_picture_twice(drawn):
    draw, first = drawn
    second = draw()
    assert first.light == second.light and first.dark == second.dark


def test_both_themes_are_there_and_one_is_shown(drawn):
    _, picture = drawn
    light, dark = Images(picture._repr_mimebundle_()["text/html"]).found
    assert (light["class"], dark["class"]) == ("only-light", "only-dark")
    assert "display:none" not in light["style"] and dark["style"].startswith("display:none")
    assert theme.LIGHT.background in picture.light and theme.DARK.background not in picture.light
    assert theme.DARK.background in picture.dark and theme.LIGHT.background not in picture.dark


def test_the_text_stands_in_for_the_picture(drawn):
    _, picture = drawn
    bundle = picture._repr_mimebundle_()
    assert bundle["text/plain"] == repr(picture) == picture.alt and len(picture.alt) > 40
    assert all(image["alt"] == picture.alt for image in Images(bundle["text/html"]).found)


def test_the_pictures_are_svg_documents_without_date_font_or_address(drawn):
    _, picture = drawn
    for image in Images(picture._repr_mimebundle_()["text/html"]).found:
        prefix, _, document = image["src"].partition(",")
        assert prefix == "data:image/svg+xml"
        assert ElementTree.fromstring(unquote(document)).tag == "{http://www.w3.org/2000/svg}svg"
    assert not re.search(r"<text|<dc:date|font-family", picture.light)
    assert len(picture.light) < 60_000


def test_the_data_is_there_and_cannot_be_changed(drawn):
    _, picture = drawn
    assert picture.data
    for values in picture.data.values():
        assert np.isfinite(values).all() and not values.flags.writeable
    with pytest.raises(TypeError):
        picture.data["more"] = 1


def test_a_reader_s_settings_neither_matter_nor_change():
    plain = absolute.heat_map(4, 4)
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "#ff0000"}):
        assert absolute.heat_map(4, 4).light == plain.light
        assert matplotlib.rcParams["font.size"] == 30


def test_a_figure_needs_a_text():
    with pytest.raises(ValueError, match="alt must say what the figure shows"):
        figure.themed(lambda figure, theme: None, alt=" ", data={})


def test_quotes_and_brackets_in_the_text_stay_text():
    alt = 'a "quoted" <b> & more'
    picture = figure.themed(lambda canvas, page: canvas.subplots(), alt=alt, data={"none": [0]})
    assert [image["alt"] for image in Images(picture._repr_mimebundle_()["text/html"]).found] == [alt, alt]


def test_matplotlib_is_loaded_with_the_first_figure_and_pyplot_never():
    code = (
        "import sys; from pe_course.plots import absolute, attention, figure, theme;"
        "assert 'matplotlib' not in sys.modules; absolute.heat_map(4, 4);"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
