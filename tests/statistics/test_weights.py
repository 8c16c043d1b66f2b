"""The random weights: pinned values, their distribution, and what they must not depend on."""

from __future__ import annotations

import numpy as np
import pytest

from empeval.statistics import weights
from empeval.statistics.weights import bits, hashed_keys, poisson_weights, swap_words

NAMES = ["hit:0_conv:1", "ключ", ""]


def test_the_generator_is_splitmix64() -> None:
    """Its published outputs for the seed 1234567 (Rosetta Code, "Pseudo-random numbers/Splitmix64")."""
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    golden = 0x9E3779B97F4A7C15
    states = np.array([(1234567 + i * golden) % 2**64 for i in range(1, 6)], dtype=np.uint64)
    assert published == weights._mix(states).tolist()


def test_keys_are_pinned() -> None:
    """A key is the same on every machine and in every version, or stored numbers could not be verified."""
    expected = [0xC7AE14768FEA5FD3, 0x20C885D1912DD44C, 0xB4B2797457A0A6E4]
    assert expected == hashed_keys(NAMES).tolist()
    assert 0 == len(hashed_keys([]))


def test_weights_and_bits_are_pinned() -> None:
    """Another generator would change every stored interval and p-value: these values would notice."""
    keys = hashed_keys(NAMES)
    assert [
        [1, 0, 0, 0, 2, 1, 0, 1, 3, 3, 1, 1],
        [0, 0, 1, 1, 0, 2, 1, 2, 1, 0, 0, 1],
        [4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 2, 0],
    ] == poisson_weights(keys, 0, 12).tolist()
    assert [0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0] == poisson_weights(keys, 7, 12)[0].tolist()
    assert [0x576CFAB4D14F527, 0xAACCEB8A2BAAF7E2, 0xE5ED717D8E7DFB8E] == swap_words(keys, 0, 64)[
        :, 0
    ].tolist()


def test_bits_count_from_the_lowest_bit_of_the_first_word() -> None:
    """Resample r reads bit r % 64 of word r // 64."""
    words = np.array([[0b101, 1 << 63]], dtype=np.uint64)
    expected = np.zeros(128, dtype=int)
    expected[[0, 2, 127]] = 1
    assert expected.tolist() == bits(words, 128)[0].tolist()
    assert [1, 0, 1] == bits(words, 3)[0].tolist()


@pytest.mark.parametrize("draw", [poisson_weights, swap_words])
def test_a_unit_keeps_its_weights_wherever_it_stands(draw) -> None:
    """Order and company of the units change nothing, and neither do further resamples."""
    keys = hashed_keys(str(i) for i in range(50))
    order = np.random.default_rng(0).permutation(50)
    whole = draw(keys, 3, 640)
    assert np.array_equal(whole[order], draw(keys[order], 3, 640))
    assert np.array_equal(whole[10:12], draw(keys[10:12], 3, 640))
    fewer = draw(keys, 3, 320)
    assert np.array_equal(whole[:, : fewer.shape[1]], fewer)


def test_weights_are_poisson_with_mean_one() -> None:
    """Mean and variance 1, and the probabilities e⁻¹ / k! of 0, 1, 2, 3."""
    drawn = poisson_weights(hashed_keys(str(i) for i in range(4000)), 0, 1000)
    n = drawn.size
    assert abs(drawn.mean() - 1) < 5 / np.sqrt(n)
    assert abs(drawn.astype(float).var() - 1) < 5 * np.sqrt(3 / n)
    shares = np.bincount(drawn.ravel(), minlength=4)[:4] / n
    np.testing.assert_allclose(shares, np.exp(-1) / np.array([1, 1, 2, 6]), atol=5 / np.sqrt(n))


def test_bits_are_fair() -> None:
    """Half of them are set, in every unit and in every resample."""
    drawn = bits(swap_words(np.arange(2000, dtype=np.uint64), 0, 2048), 2048)
    assert abs(drawn.mean() - 0.5) < 5 * 0.5 / np.sqrt(drawn.size)
    for axis in (0, 1):
        assert np.abs(drawn.mean(axis=axis) - 0.5).max() < 5.5 * 0.5 / np.sqrt(drawn.shape[axis])


@pytest.mark.parametrize(
    "others",
    [
        pytest.param(lambda keys: poisson_weights(keys, 1, 2000), id="the next seed"),
        pytest.param(lambda keys: poisson_weights(keys + np.uint64(1), 0, 2000), id="the next key"),
        pytest.param(lambda keys: poisson_weights(keys, 0, 2001)[:, 1:], id="the next resample"),
        pytest.param(lambda keys: bits(swap_words(keys, 0, 2000), 2000), id="the swaps"),
    ],
)
def test_neighbouring_streams_are_uncorrelated(others) -> None:
    """Seeds, keys and resamples that follow one another give unrelated weights."""
    keys = np.arange(0, 1000, 2, dtype=np.uint64)
    ours, theirs = (drawn.astype(float).ravel() for drawn in (poisson_weights(keys, 0, 2000), others(keys)))
    assert abs(np.corrcoef(ours, theirs)[0, 1]) < 5 / np.sqrt(len(ours))
