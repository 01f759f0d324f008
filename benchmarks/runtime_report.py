"""What benchmarks/runtime.py found, for people."""

from __future__ import annotations

from typing import Any


def report(result: dict[str, Any], parallel: int) -> None:
    """Print it for people; ``parallel`` turns ran beside /ping."""

    def line(label: str, name: str, unit: str, note: str = "") -> None:
        if name in result:
            print(f"  {label:34} {result[name]:8.2f} {unit:3} {note}".rstrip())

    print(f"The runtime with {result['assistant']} and a model on loopback; medians:")
    line("added to a turn, embedded", "added_p50_ms", "ms", "goal: under 20")
    line("  p95", "added_p95_ms", "ms")
    line("  of the processor, with all after", "turn_cpu_ms", "ms")
    line("added to a turn, warm gateway", "gateway_added_p50_ms", "ms", "goal: under 400")
    line("  p95", "gateway_added_p95_ms", "ms")
    line("  by embedded, asked in turn", "gateway_by_embedded", "x")
    if "gateway_added_p50_ms" not in result:
        print("  OpenClaw is not installed (make openclaw): its turns are not measured")
    line("start to first answer", "first_answer_s", "s", "goal: under 3")
    line("  of the processor", "first_answer_cpu_s", "s")
    line("  where a gateway starts, too", "gateway_first_answer_s", "s", "goal: under 3")
    line("  with by without, in turn", "first_answer_with_gateway_by_without", "x")
    line("start to /ping", "listening_s", "s")
    line("idle after a turn", "idle_mb", "MB", "goal: under 150")
    line(f"/ping beside {parallel} turns, p50", "ping_p50_ms", "ms")
    line("  p99", "ping_p99_ms", "ms", "goal: under 50")
    line("/ping idle, p99", "ping_idle_p99_ms", "ms")
    line("the machine's load meanwhile", "load", "")
    print("Input tokens of 20 turns, and the share read from the cache over turns 3 to 20;")
    print("ours, and the same conversation with what is remembered in the system prompt:")
    for label, ways in result["cached"].items():
        for way, one in ways.items():
            share = f"{one['share_turns_3_to_20']:.1%} read"
            if not one["cacheable"]:
                share = f"not cacheable: below the {one['minimum_tokens']:,} tokens of this model"
            more = one["input_usd"] / one["uncached_usd"] if one["uncached_usd"] else 1
            print(
                f"  {label:6} {way:6} {one['input_tokens']:8,} in:"
                f" {one['cached_tokens']:7,} cached, {one['uncached_tokens']:7,} not; {share};"
                f" ${one['input_usd']:.4f}, {more:.0%} of uncached"
            )
        price = ways["common"]["input_usd"] / ways["ours"]["input_usd"]
        print(f"  {label:6} the common way costs {price:.1f} times as much")
