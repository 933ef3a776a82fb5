"""Measure speed and memory of qlearn's functions; exit 1 where a goal is missed.

Speed is a ratio: qlearn and torch's own kernel take turns in one process, with two threads. Of
each round the fastest calls count, because a busy machine only ever adds time, and of the rounds
the one with the median ratio. Where that misses the goal, they try again. The goals let chapters
calibrate and run whole networks in seconds; quantize and dequantize have none, because they are
written as their formulas, step by step, and torch makes one step of them.

Memory is what torch allocates during a call, its result included, at the worst moment, divided
by what goes in or comes out, whichever is larger; or by what has to be between the two, as the
gates of an LSTM.

Growth is the time for each value of the input, in one thread, which a busy machine disturbs less.
In a small input it is the fixed cost of a call, some ten to some hundred microseconds; a large
one no longer fits into the processor's cache, which torch's own x + x shows as well.

The time in which the system hands out memory and clears it is no function's doing, and above
32 MB it outweighs all others, for malloc gives such memory back each time. `make benchmark`
tells malloc to keep it.
"""

import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch.ao.quantization import observer as torchs
from torch.profiler import ProfilerActivity, profile

import qlearn
from proofs.collection import all_public
from proofs.inputs import values
from proofs.public import Large
from proofs.torchao_groups import torchaos_groups
from qlearn import QTensor

THREADS = 2
ROUNDS = 15
TURNS = 5  # that each of the two has in a round
ATTEMPTS = 10  # at most
MOST_MEMORY = 5.0  # times the input or the result
SIZES = [10**3, 10**4, 10**5, 10**6, 10**7]
MOST_GROWTH = 1.5  # times that of x + x, in time for each value from 10^6 to 10^7

Call = Callable[[], object]


@dataclass(frozen=True)
class Contest:
    """A call of qlearn beside one of torch that does the same, and how much longer it may take."""

    what: str
    ours: Call
    torchs: Call
    goal: float


def linear_dynamic(*, per_channel: bool) -> Contest:
    """Compare the dynamic linear layer with fbgemm's, 512 × 1024 by 1024 × 1024."""
    x, weight = (
        values(512 * 1024)[0].reshape(512, 1024),
        values(1024**2)[0].reshape(1024, 1024) / 32,
    )
    bias = torch.ones(1024)
    if per_channel:
        qparams = qlearn.choose_qparams(*torch.aminmax(weight, dim=1), symmetric=True, axis=0)
        scale, zero_point = qparams.scale.double(), qparams.zero_point.long()
        torchs = torch.quantize_per_channel(weight, scale, zero_point, 0, torch.qint8)
    else:
        qparams = qlearn.choose_qparams(*torch.aminmax(weight), symmetric=True)
        torchs = torch.quantize_per_tensor(weight, qparams.scale.item(), 0, torch.qint8)
    codes = QTensor(torchs.int_repr(), qparams)
    packed = torch.ops.quantized.linear_prepack(torchs, bias)
    return Contest(
        f"linear_dynamic, per {'channel' if per_channel else 'tensor'}",
        lambda: qlearn.linear_dynamic(x, codes, bias),
        lambda: torch.ops.quantized.linear_dynamic(x, packed, reduce_range=True),
        3.0,
    )


def histogram_observer() -> Contest:
    """Compare the observers on eight batches of 100,000 values whose range grows, and qparams."""
    batches = [x * (1 + 0.3 * i) for i, x in enumerate(values(800_000)[0].split(100_000))]

    def run(observer: Callable[[torch.Tensor], object], qparams: Callable[[], object]) -> object:
        for batch in batches:
            observer(batch)
        return qparams()

    def ours() -> object:
        observer = qlearn.HistogramObserver()
        return run(observer, observer.qparams)

    def theirs() -> object:
        observer = torchs.HistogramObserver()
        return run(observer, observer.calculate_qparams)

    return Contest("HistogramObserver", ours, theirs, 1.5)


def encode_float(format: qlearn.FloatFormat, dtype: torch.dtype) -> Contest:
    """Compare the codes of four million values in a float of eight bits with torch's cast."""
    x = values(4_000_000)[0]
    return Contest(
        f"encode_float, {format}",
        lambda: qlearn.encode_float(x, format),
        lambda: x.to(dtype),
        10.0,
    )


def groups(*, symmetric: bool) -> Contest:
    """Compare codes of four bits in groups of 32 with torchao's, of a weight 1024 × 4096."""
    x = values(1024 * 4096)[0].reshape(1024, 4096)
    return Contest(
        f"groups, {'' if symmetric else 'a'}symmetric",
        lambda: qlearn.quantize_groups(x, symmetric=symmetric),
        lambda: torchaos_groups(x, 4, 32, symmetric),
        5.0,
    )


def contests() -> Iterator[Contest]:
    """Yield what is compared with torch and torchao."""
    yield linear_dynamic(per_channel=False)
    yield linear_dynamic(per_channel=True)
    yield histogram_observer()
    yield encode_float(qlearn.E4M3FN, torch.float8_e4m3fn)
    yield encode_float(qlearn.E5M2, torch.float8_e5m2)
    yield groups(symmetric=True)
    yield groups(symmetric=False)


def seconds(call: Call) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def one_round(contest: Contest) -> tuple[float, float]:
    """Let the two take turns, and return the seconds of the fastest call of each."""
    turns = [(seconds(contest.ours), seconds(contest.torchs)) for _ in range(TURNS)]
    return min(ours for ours, _ in turns), min(torchs for _, torchs in turns)


def race(contest: Contest) -> tuple[float, float]:
    """Return the seconds of both from the round with the median ratio, of the best attempt."""
    best = (math.inf, 1.0)
    for _ in range(ATTEMPTS):
        rounds = sorted((one_round(contest) for _ in range(ROUNDS)), key=quotient)
        best = min(best, rounds[ROUNDS // 2], key=quotient)
        if quotient(best) <= contest.goal:
            break
    return best


def quotient(pair: tuple[float, float]) -> float:
    """Return the first number divided by the second."""
    return pair[0] / pair[1]


def peak_bytes(call: Call) -> int:
    """Return how much memory torch holds at the worst moment of a call, beyond what it had."""
    call()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        result = call()
    events = [e for e in profiler.profiler.kineto_results.events() if e.name() == "[memory]"]
    del result
    held = most = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        held += event.nbytes()
        most = max(most, held)
    return most


def memory(subject: Large) -> float:
    """Return the peak memory of a call, as a multiple of what goes in, comes out or is between."""
    inputs = subject.inputs(SIZES[-2])
    size = max(bytes_of(*inputs), bytes_of(subject.call(*inputs)))
    return peak_bytes(lambda: subject.call(*inputs)) / (size * subject.between)


def bytes_of(*found: object) -> int:
    """Return how many bytes the tensors among these have."""
    tensors = [one.values if isinstance(one, QTensor) else one for one in found]
    return sum(tensor.nbytes for tensor in tensors if isinstance(tensor, torch.Tensor))


def time_of_each(subject: Large, n: int) -> float:
    """Return the nanoseconds for each of n values: the fastest of some calls."""
    inputs = subject.inputs(n)
    start, fastest, calls = time.perf_counter(), math.inf, 0
    while calls < 5 or time.perf_counter() - start < 0.1:
        fastest, calls = min(fastest, seconds(lambda: subject.call(*inputs))), calls + 1
    return fastest / n * 1e9


def compare_with_torch() -> bool:
    """Print the ratios, and return whether all goals are reached."""
    print(f"{'speed':<28}{'qlearn':>10}{'torch':>10}{'ratio':>8}{'goal':>8}")
    good = True
    for contest in contests():
        ours, torchs = race(contest)
        ratio = ours / torchs
        good &= ratio <= contest.goal
        mark = "" if ratio <= contest.goal else "  MISSED"
        print(
            f"{contest.what:<28}{ours * 1e3:>7.2f} ms{torchs * 1e3:>7.2f} ms{ratio:>8.2f}"
            f"{contest.goal:>8.2f}{mark}",
            flush=True,
        )
    return good


def growth(times: list[float]) -> float:
    """Return by what factor the time for each value rises to the last size, 1 if it falls."""
    return max(1.0, times[-1] / times[-2])


def row(name: str, subject: Large, multiple: float, times: list[float], missed: str = "") -> str:
    """Return the line of the second table."""
    columns = "".join(f"{t:>9.3g}" for t in times)
    return f"{name:<38}{subject.how:<22}{multiple:>7.2f}{columns}{missed}"


def measure_all() -> bool:
    """Print memory and growth of each function, and return whether all goals are reached."""
    sizes = "".join(f"{f'10^{len(str(n)) - 1}':>9}" for n in SIZES)
    print(f"\n{'memory, and ns for each of':<60}{'memory':>7}{sizes} values")
    reference = Large("", values, lambda x: x + x)
    limit = MOST_GROWTH * growth([time_of_each(reference, n) for n in SIZES])
    entries = all_public().values()
    measured = [(entry.name, subject) for entry in entries for subject in entry.large]
    good = True
    for name, subject in [("x + x in torch", reference), *measured]:
        multiple, times = memory(subject), [time_of_each(subject, n) for n in SIZES]
        missed = "  MEMORY" if multiple > MOST_MEMORY else ""
        missed += "  GROWTH" if growth(times) > limit else ""
        good &= not missed
        print(row(name, subject, multiple, times, missed), flush=True)
    print(
        f"Goals: memory at most {MOST_MEMORY:g} times input or result; from 10^6 to 10^7 values the"
    )
    print(f"time for each rises by a factor of at most {limit:.1f}, which is {MOST_GROWTH} times")
    print("the factor of x + x.")
    return good


def main() -> int:
    """Print the tables and return 1 if a goal is missed."""
    torch.backends.quantized.engine = "fbgemm"
    warnings.filterwarnings("ignore", category=UserWarning)  # torch's quantized tensors will go
    torch.set_num_threads(THREADS)
    reached = [compare_with_torch()]
    torch.set_num_threads(1)
    reached += [measure_all()]
    print("\nAll goals are reached." if all(reached) else "\nA goal is missed.")
    return int(not all(reached))


if __name__ == "__main__":
    sys.exit(main())
