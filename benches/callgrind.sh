#!/usr/bin/env bash
# Instructions for one call: the primal, chainrule's value and gradient, the hand-written adjoint.
# Counts don't depend on what else the machine does. Needs valgrind.
#
#   benches/callgrind.sh [NAME...]            the rows of `ratios`, or those whose names contain one of the arguments
#   benches/callgrind.sh --forms [NAME...]    the forms of `forms`
#   benches/callgrind.sh --record             writes the counts of all forms to benches/forms/counts.tsv
#   benches/callgrind.sh --check [NAME...]    compares forms with these counts; more than LIMIT times as many, 1.05 if not set, is an error
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

counts=benches/forms/counts.tsv
calls=5
limit=${LIMIT:-1.05}

# glibc fills and copies large blocks by one instruction that repeats itself, and valgrind counts it once for each byte: more than a third of what it
# counted for some gradients. With these limits glibc uses vectors.
limits=x86_rep_stosb_threshold=1000000000:glibc.cpu.x86_rep_movsb_threshold=1000000000
export GLIBC_TUNABLES=glibc.cpu.$limits

if ! command -v valgrind > /dev/null; then
    echo "error: valgrind is not installed" >&2
    exit 1
fi

# The executable of the bench target $1.
executable() {
    cargo bench --quiet --bench "$1" --no-run >&2
    cargo bench --quiet --bench "$1" --no-run --message-format=json |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1
}

# Instructions for one call of side $2 of row $1: those of the calls in the function `counted`.
per_call() {
    local total
    total=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no '--toggle-collect=*case::counted*' \
        "$binary" --run "$1" --which "$2" --calls "$calls" 2>&1 | sed -n 's/.*Collected : //p')
    echo $((total / calls))
}

# A line for each row: its name and the instructions of all sides, without those of an empty call.
table() {
    local row empty primal ours hand
    printf '%-28s %12s %12s %12s %20s %16s %18s\n' \
        case primal chainrule hand 'chainrule / primal' 'hand / primal' 'chainrule / hand'
    for row in $("$binary" --list "$@"); do
        empty=$(per_call "$row" empty)
        primal=$(($(per_call "$row" primal) - empty))
        ours=$(($(per_call "$row" ours) - empty))
        hand=$(($(per_call "$row" hand) - empty))
        awk -v row="$row" -v p="$primal" -v o="$ours" -v h="$hand" 'BEGIN {
            printf "%-28s %12d %12d %12d %20.2f %16.2f %18.2f\n", row, p, o, h, o / p, h / p, o / h
        }'
    done
}

# A line for each form: its name, and the instructions of chainrule's side and of the adjoint by hand, which is run
# once for all forms of a kernel.
forms() {
    export binary calls
    export -f per_call
    "$binary" --list "$@" |
        awk -F / '$1 != last { print $0, "hand" } { last = $1; print $0, "ours" }' |
        xargs -P "$(nproc)" -L 1 bash -c 'echo "$0 $1 $(per_call "$0" "$1")"' |
        awk -v list="$("$binary" --list "$@")" '
            { split($1, name, "/"); count[$2 == "hand" ? name[1] : $1] = $3 }
            END {
                n = split(list, all, "\n")
                for (i = 1; i <= n; i++) {
                    split(all[i], name, "/")
                    printf("%s\t%d\t%d\n", all[i], count[all[i]], count[name[1]])
                }
            }
        '
}

# Compares lines as `forms` prints them, $2, with those recorded, $1.
compare() {
    awk -F '\t' -v all="$3" -v limit="$limit" '
        /^#/ { next }
        NR == FNR { ours[$1] = $2; hand[$1] = $3; next }
        !($1 in ours) { print "error: " $1 " is not recorded"; failed = 1; next }
        {
            seen[$1] = 1
            if (off($1, "chainrule", ours[$1], $2)) failed = 1
            if (off($1, "hand", hand[$1], $3)) failed = 1
            counted++
        }
        function off(form, side, before, now) {
            if (now > limit * before || now * limit < before)
                printf("%s%s, %s: %d instructions, recorded %d (%+.1f %%)\n", \
                    (now > before) ? "error: " : "", form, side, now, before, 100 * (now / before - 1))
            return now > limit * before
        }
        END {
            for (form in ours)
                if (all && !(form in seen)) { print "error: " form " is recorded and no longer there"; failed = 1 }
            print counted + 0 " forms compared; benches/callgrind.sh --record writes new counts"
            exit failed
        }
    ' "$1" "$2"
}

case "${1:-}" in
--forms)
    shift
    binary=$(executable forms)
    table "$@"
    ;;
--record)
    binary=$(executable forms)
    {
        echo "# Instructions of value and gradient: form, chainrule, adjoint by hand."
        echo "# $(rustc --version | cut -d ' ' -f 1,2), $(uname -m). Written by benches/callgrind.sh --record."
        forms
    } > "$counts.new"
    mv "$counts.new" "$counts"
    ;;
--check)
    shift
    binary=$(executable forms)
    now=$(mktemp)
    trap 'rm -f "$now"' EXIT
    forms "$@" > "$now"
    all=$(($# == 0))
    compare "$counts" "$now" "$all"
    ;;
*)
    binary=$(executable ratios)
    table "$@"
    ;;
esac
