"""Integer products against int64 arithmetic, where nothing can be lost."""

import pytest
import torch

from qlearn.checks.codes import LONGEST_SIGNED_SUM
from qlearn.integers import matmul
from qlearn.integers.matmul import (
    LARGE,
    accumulate,
    in_blocks,
    int_mm_is_exact,
    integer_matmul,
    large_matmul,
    rows_at_a_time,
    signed_matmul,
)

needs_exact_kernel = pytest.mark.skipif(
    not int_mm_is_exact(), reason="torch's int8 kernel saturates on this processor"
)
WAYS = [integer_matmul, pytest.param(large_matmul, marks=needs_exact_kernel)]


def codes(m, k, n, seed=0):
    generator = torch.Generator().manual_seed(seed)
    a = torch.randint(0, 256, (m, k), dtype=torch.uint8, generator=generator)
    return a, torch.randint(-128, 128, (n, k), dtype=torch.int8, generator=generator).T


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("k", [0, 1, 2, 3, 17, 64, 1000])
@pytest.mark.parametrize(("m", "n"), [(0, 3), (1, 1), (5, 0), (7, 33)])
def test_equals_int64(way, m, k, n):
    a, b = codes(m, k, n)
    expected = (a[:, :, None].long() * b[None].long()).sum(dim=1)
    for operand in (b, b.contiguous()):
        assert torch.equal(way(a, operand).long(), expected)


@pytest.mark.parametrize("way", WAYS)
def test_a_row_or_a_column_may_be_repeated(way):
    a, b = codes(64, 64, 64)
    for repeated in (b[:1].expand(64, 64), b[:, :1].expand(64, 64), b[:1, :1].expand(64, 64)):
        assert torch.equal(way(a, repeated), way(a, repeated.contiguous()))
    rows = a[:1].expand(64, 64), a[:, :1].expand(64, 64)
    assert all(torch.equal(way(row, b), way(row.contiguous(), b)) for row in rows)


@needs_exact_kernel
def test_large_inputs_take_the_kernel_and_the_plain_product_agrees(monkeypatch):
    a, b = codes(50, 300, 70)
    assert a.numel() * b.shape[1] >= LARGE
    by_kernel = integer_matmul(a, b)
    monkeypatch.setattr(matmul, "large_matmul", lambda a, b: pytest.fail("not the plain product"))
    monkeypatch.setattr(matmul, "LARGE", 10**9)
    assert torch.equal(integer_matmul(a, b), by_kernel)


def test_where_the_kernel_saturates_large_inputs_take_the_plain_product(monkeypatch):
    monkeypatch.setattr(matmul, "int_mm_is_exact", lambda: False)
    monkeypatch.setattr(matmul, "large_matmul", lambda a, b: pytest.fail("the kernel saturates"))
    a, b = codes(50, 300, 70)
    assert torch.equal(integer_matmul(a, b).long(), a.long() @ b.long())


def test_the_longest_sum_of_signed_codes_fits():
    codes = torch.full((1, LONGEST_SIGNED_SUM), -128, dtype=torch.int8)
    assert signed_matmul(codes, codes.T).item() == LONGEST_SIGNED_SUM * 2**14
    assert torch.iinfo(torch.int32).max < (LONGEST_SIGNED_SUM + 1) * 2**14


@pytest.mark.parametrize("way", WAYS)
def test_the_extremes_do_not_saturate(way):
    a = torch.full((2, 64), 255, dtype=torch.uint8)
    for value in (127, -128):
        b = torch.full((64, 3), value, dtype=torch.int8)
        assert (way(a, b) == 64 * 255 * value).all()


@pytest.mark.parametrize("zero_points", [torch.tensor(-3), torch.arange(9) * 28 - 128])
def test_accumulate_takes_the_zero_points_off(zero_points):
    a, b = codes(7, 33, 9)
    expected = (a.long() - 201) @ (b.T.long() - zero_points.reshape(-1, 1)).T
    assert torch.equal(accumulate(a, 201, b.T, zero_points.int()).long(), expected)


def test_blocks_come_back_in_their_order_and_none_is_longer_than_allowed():
    rows = torch.arange(40, dtype=torch.uint8).reshape(20, 2)
    longest = 2**14
    seen = []

    def layer(block):
        seen.append(len(block))
        return block + 1

    assert torch.equal(in_blocks(layer, rows, longest=longest), rows + 1)
    assert seen == [rows_at_a_time(longest)] * 5


@pytest.mark.parametrize(
    ("a", "b", "error", "message"),
    [
        (torch.zeros(1, 1), torch.zeros(1, 1), TypeError, "float32"),
        (*(torch.zeros(1, 1, dtype=torch.int8) for _ in "ab"), TypeError, "int8 and torch.int8"),
        (
            torch.zeros(1, 2, dtype=torch.uint8),
            torch.zeros(3, 1, dtype=torch.int8),
            ValueError,
            r"\(1, 2\) and \(3, 1\)",
        ),
        (
            torch.zeros(1, 70_000, dtype=torch.uint8),
            torch.zeros(70_000, 1, dtype=torch.int8),
            ValueError,
            "k is 70000.*65793",
        ),
    ],
    ids=["floats", "signed", "shapes", "long"],
)
def test_bad_input_is_named(a, b, error, message):
    with pytest.raises(error, match=message):
        integer_matmul(a, b)


@pytest.mark.parametrize("way", WAYS)
def test_a_row_of_single_steps_where_torchs_kernel_returns_garbage(way):
    """Strides (1, 1), as a transposed column has them, make torch._int_mm write nothing."""
    row = torch.arange(1, 41, dtype=torch.uint8).reshape(40, 1).T
    assert row.stride() == (1, 1)
    b = torch.ones(40, 3, dtype=torch.int8)
    assert way(row, b).tolist() == [[820] * 3]


@pytest.mark.parametrize(
    ("m", "k", "n"), [(0, 3, 2), (2, 0, 3), (3, 1, 2), (5, 7, 4), (64, 300, 32)]
)
def test_signed_codes_are_multiplied_exactly(monkeypatch, m, k, n):
    generator = torch.Generator().manual_seed(k)
    a, b = (
        torch.randint(-128, 128, shape, generator=generator, dtype=torch.int8)
        for shape in ((m, k), (k, n))
    )
    exact = a.long() @ b.long()
    assert torch.equal(signed_matmul(a, b).long(), exact)
    monkeypatch.setattr(matmul, "int_mm_is_exact", lambda: False)
    assert torch.equal(signed_matmul(a, b).long(), exact)
