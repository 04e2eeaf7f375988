"""The two-sample test of Kolmogorov and Smirnov, and Fisher's for counts.

The p-value for samples of n and m values at distance D is the tail of
Kolmogorov's limit law at sqrt(nm / (n + m)) D. It is valid, and conservative,
where values repeat. The two samples are arms of one run, assigned by coin. So
under equal distributions the arms are exchangeable, even if replies follow one
another in a queue.
"""
import math

ALPHA = 1e-6


def statistic(xs, ys):
    """The greatest distance of the two empirical distribution functions."""
    xs, ys = sorted(xs), sorted(ys)
    i = j = 0
    most = 0.0
    while i < len(xs) and j < len(ys):
        at = min(xs[i], ys[j])
        while i < len(xs) and xs[i] == at:
            i += 1
        while j < len(ys) and ys[j] == at:
            j += 1
        most = max(most, abs(i / len(xs) - j / len(ys)))
    return most


def tail(x):
    """P(K > x) = 2 Σ (-1)^(k-1) exp(-2 k² x²); below 0.2 it is 1 to 1e-12."""
    if x < 0.2:
        return 1.0
    total = 0.0
    for k in range(1, 101):
        term = math.exp(-2 * k * k * x * x)
        total += term if k % 2 else -term
        if term < 1e-300:
            break
    return min(1.0, max(0.0, 2 * total))


def compare(xs, ys):
    """The distance D, and the probability of a D at least as large under equal
    distributions."""
    d = statistic(xs, ys)
    return d, tail(math.sqrt(len(xs) * len(ys) / (len(xs) + len(ys))) * d)


def log_choose(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def compare_counts(a, n, b, m):
    """The probability that a of n and b of m differ at least as much if both
    have the same rate: twice the smaller tail of Fisher's exact test."""
    total = a + b
    logs = {k: log_choose(n, k) + log_choose(m, total - k) -
               log_choose(n + m, total)
            for k in range(max(0, total - m), min(n, total) + 1)}
    below = sum(math.exp(p) for k, p in logs.items() if k <= a)
    above = sum(math.exp(p) for k, p in logs.items() if k >= a)
    return min(1.0, 2 * min(below, above))
