#!/bin/sh
# Mutation tests of the runtime's scalar partials, by cargo-mutants (`cargo install cargo-mutants`, 27.1.0). It takes the k-th of n parts
# of all mutants, by default the 3rd of 16: `tests/mutants.sh 3/16 OUTPUT`. `tests/mutants.md` records what ran.
set -eu
cd "$(dirname "$0")/.."
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=none
exec nice cargo mutants --package ad-runtime --file 'ad-runtime/src/partials/*.rs' \
    --shard "${1:-3/16}" --sharding round-robin --no-shuffle --jobs 1 \
    --timeout 100 --output "${2:-target/mutants}" -- --test partials
