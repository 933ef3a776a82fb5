"""The page of symptoms on a search among vectors in int8."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

QUERIES, STORED, FIRST = 100, 2000, 10


@pytest.fixture
def queries() -> Tensor:
    return torch.randn(QUERIES, 64)


@pytest.fixture
def normalized() -> Tensor:
    return torch.nn.functional.normalize(torch.randn(STORED, 64))


def coded(vectors: Tensor, scale: Tensor) -> Tensor:
    return torch.round(vectors / scale).to(torch.int8)


def own_scales(vectors: Tensor) -> Tensor:
    return vectors.abs().amax(1, keepdim=True) / 127


def recall(scores: Tensor, wanted: Tensor) -> float:
    pairs = zip(
        scores.topk(FIRST).indices.tolist(), wanted.topk(FIRST).indices.tolist(), strict=True
    )
    return sum(len(set(found) & set(best)) for found, best in pairs) / FIRST / QUERIES


def test_products_of_codes_need_the_scales(queries: Tensor, normalized: Tensor) -> None:
    wanted = queries @ normalized.T
    scales = own_scales(normalized)
    query, stored = coded(queries, own_scales(queries)), coded(normalized, scales)
    products = query.int() @ stored.int().T
    assert 0.6 < recall(products, wanted) < 0.68
    assert recall(products * scales.T, wanted) > 0.98
    together = coded(normalized, normalized.abs().max() / 127)
    assert recall(query.int() @ together.int().T, wanted) > 0.97


def test_sums_in_int8_wrap_around(queries: Tensor, normalized: Tensor) -> None:
    scales = own_scales(normalized)
    query, stored = coded(queries, own_scales(queries)), coded(normalized, scales)
    wrapped = query @ stored.T
    assert wrapped.dtype == torch.int8
    assert np.array_equal(wrapped, query.numpy() @ stored.numpy().T)
    assert recall(wrapped * scales.T, queries @ normalized.T) < 0.015


def test_lengths_are_lost_without_the_scales(queries: Tensor, normalized: Tensor) -> None:
    vectors = normalized * torch.rand(STORED, 1).mul(2).exp()
    scales = own_scales(vectors)
    products = coded(queries, own_scales(queries)).int() @ coded(vectors, scales).int().T
    assert (
        recall(products, queries @ vectors.T)
        < 0.4
        < 0.95
        < recall(products * scales.T, queries @ vectors.T)
    )


def test_codes_with_a_range_for_each_dimension_are_no_vectors(queries: Tensor) -> None:
    vectors = torch.randn(STORED, 64) + 3 * torch.randn(64)
    low, high = vectors.amin(0), vectors.amax(0)
    scale = (high - low) / 255
    zero_point = torch.round(-128 - low / scale)

    def codes(x: Tensor) -> Tensor:
        return torch.clamp(torch.round(x / scale) + zero_point, -128, 127)

    wanted = queries @ vectors.T
    assert recall(codes(queries) @ codes(vectors).T, wanted) < 0.6
    assert recall((queries * scale) @ codes(vectors).T, wanted) > 0.9


def test_signs_of_dimensions_with_a_mean_are_constant(queries: Tensor) -> None:
    mean = 3 * torch.randn(64)
    vectors, queries = torch.randn(STORED, 64) + mean, queries + mean
    wanted, center = (queries - mean) @ (vectors - mean).T, vectors.mean(0)

    def signs(x: Tensor) -> Tensor:
        return torch.where(x > 0, 1.0, -1.0)

    constant = ((vectors > 0).float().mean(0) - 0.5).abs() > 0.49
    assert constant.sum() > 20
    centered = ((vectors > center).float().mean(0) - 0.5).abs() > 0.49
    assert not centered.any()
    plain = recall(signs(queries) @ signs(vectors).T, wanted)
    both = recall(signs(queries - center) @ signs(vectors - center).T, wanted)
    half = recall((queries - center) @ signs(vectors - center).T, wanted)
    assert plain < both < half
