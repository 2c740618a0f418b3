#!/usr/bin/env bash
# Instructions for one call of each row: the primal, chainrule's value and gradient, the hand-written adjoint.
# Counts don't depend on what else the machine does. Needs valgrind.
#
#   benches/callgrind.sh [NAME...]     only the rows whose names contain one of the arguments
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v valgrind > /dev/null; then
    echo "error: valgrind is not installed" >&2
    exit 1
fi

cargo bench --quiet --bench ratios --no-run
binary=$(cargo bench --quiet --bench ratios --no-run --message-format=json |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)

# All instructions of a process that makes $3 calls of side $2 of row $1.
total() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$binary" --run "$1" --which "$2" --calls "$3" 2>&1 | sed -n 's/.*Collected : //p'
}

# Instructions for one call, from the difference of two processes.
per_call() {
    local few=10 many=110
    echo $((($(total "$1" "$2" "$many") - $(total "$1" "$2" "$few")) / (many - few)))
}

printf '%-24s %12s %12s %12s %20s %16s %18s\n' \
    case primal chainrule hand 'chainrule / primal' 'hand / primal' 'chainrule / hand'
rows=$("$binary" --list "$@")
for row in $rows; do
    empty=$(per_call "$row" empty)
    primal=$(($(per_call "$row" primal) - empty))
    ours=$(($(per_call "$row" ours) - empty))
    hand=$(($(per_call "$row" hand) - empty))
    awk -v row="$row" -v p="$primal" -v o="$ours" -v h="$hand" 'BEGIN {
        printf "%-24s %12d %12d %12d %20.2f %16.2f %18.2f\n", row, p, o, h, o / p, h / p, o / h
    }'
done
