"""The pictures of the analogies show what the formulas say (claims L-102, L-106, L-107, L-140)."""

import numpy as np
import pytest

from pe_course.plots import analogies

RECORD = [0, 3, 1460, 2900, 3650, 3653, 3653]


def test_ward_changes_fall_from_the_first_channels_to_the_last():
    figure = analogies.ward_changes(128, 512, 64, [1, 10, 64])
    change = figure.data["change"]
    speeds = 10000.0 ** (-np.arange(256) / 256)
    for row, away in zip(change, (1, 10, 64), strict=True):
        by_hand = np.sqrt(np.mean(1 - np.cos(away * speeds).reshape(8, 32), axis=1))  # the same at every bed
        np.testing.assert_allclose(row, by_hand, rtol=1e-9)
    assert change[0, 0] == pytest.approx(0.4395, abs=5e-5)
    assert (np.diff(change[0]) < 0).all()
    assert "from 0.4395 in the first 64 channels to 0.000142 in the last" in figure.alt


def test_day_of_beats_puts_ten_minutes_and_twelve_hours_into_one_bucket():
    figure = analogies.day_of_beats(70, {"5 beats": 5, "10 minutes": 700, "12 hours": 50400})
    back, bucket = figure.data["back"], figure.data["bucket"]
    assert (back[0], back[-1]) == (1, 50400)
    np.testing.assert_array_equal(bucket[:7], range(1, 8))
    assert back[bucket == 15][0] == 91 and (bucket[90:] == 15).all()
    np.testing.assert_array_equal(figure.data["marked"], [5, 15, 15])
    assert "10 minutes in bucket 15, 12 hours in bucket 15" in figure.alt


def test_record_scores_by_index_know_no_days_and_by_days_no_index():
    data = analogies.record_scores(RECORD, 64).data
    for offset in range(7):
        assert np.ptp(np.diagonal(data["index"], offset)) < 1e-12, "by index every diagonal holds one number"
    speeds = 10000.0 ** (-np.arange(32) / 32)
    gaps = np.subtract.outer(RECORD, RECORD)
    np.testing.assert_allclose(data["days"], np.cos(gaps[..., None] * speeds).mean(axis=-1), atol=1e-9)
    assert data["days"][1, 0] == pytest.approx(data["days"][5, 4])
    assert data["days"][6, 5] == 1, "two events of one day are at distance 0"


def test_record_scores_name_the_nearest_and_the_farthest_neighbours():
    alt = analogies.record_scores(RECORD, 64).alt
    assert "the neighbours 3 days apart have 0.80 and those 1457 days apart 0.22" in alt
