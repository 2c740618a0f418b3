#!/bin/sh
# Mutation tests of the runtime's scalar partials, by cargo-mutants (`cargo install cargo-mutants`, 27.1.0). All mutants, or the k-th of n parts
# of them: `tests/mutants.sh [3/16 [OUTPUT]]`. `tests/mutants.md` records what ran.
set -eu
cd "$(dirname "$0")/.."
# Only the test that can find them is built, and of the library what changed.
export CARGO_INCREMENTAL=1 CARGO_PROFILE_DEV_DEBUG=none
exec nice cargo mutants --package ad-runtime --file 'ad-runtime/src/partials/*.rs' \
    --shard "${1:-0/1}" --sharding round-robin --no-shuffle --jobs 1 --baseline skip \
    --timeout 100 --output "${2:-target/mutants}" --cargo-arg=--test --cargo-arg=partials
