#!/usr/bin/env bash
# Trains in two processes that are on two machines, as far as they can tell: each has a network namespace of its own, with a
# cable between them. Cuts the cable, fills the disk of the first, lets one stay away or take the other's port.
#
#   tests/distributed/networks.sh PROGRAM [ROUNDS]
#
# ROUNDS: how often the cable is cut (default: 3). Exits with 77, and says why, where namespaces are not permitted. Every
# case ends with "ok"; a process that hangs is ended after five minutes, and fails.
set -euo pipefail
ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=scripts/lib/toy_corpus.sh
. "$ROOT/scripts/lib/toy_corpus.sh"
# shellcheck source=scripts/lib/two_machines.sh
. "$ROOT/scripts/lib/two_machines.sh"

program=$(realpath -- "$1") rounds=${2:-3}
inside_namespaces "$0" "$@"

work=$(mktemp -d)
trap 'stop_other_machine; umount "$work/disk" 2> /dev/null; rm -rf -- "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    tail -n 3 "$work"/*.err >&2
    exit 1
}

start_other_machine
connect_machines

toy_corpus "$work" 120 3
cat > "$work/config.yaml" <<YAML
data: {train_source: train.a, train_target: train.b, valid_source: valid.a, valid_target: valid.b}
vocabulary: {type: unigram, size: 30}
model:
  embedding_size: 16
  encoder: {hidden_size: 16}
  decoder: {hidden_size: 16}
  attention: {size: 16}
training: {batch_size: 8, max_updates: 160, ema: 0.9, shards: 4, optimizer: {learning_rate: 0.01}}
validation: {every: 50, unit: updates, patience: 0}
checkpoints: {directory: whole, every_updates: 20}
report: {html: false}
runtime: {workers: 1, log_every: 5, distributed: {timeout: 4}}
YAML

first_address=10.77.0.1 # as rank 0 knows it

# rank NUMBER RUN argument...: one of two processes, on its machine.
rank() {
    local number=$1 run=$2 address=10.77.0.1
    shift 2
    ((number > 0)) || address=$first_address
    local command=(env "RANK=$number" WORLD_SIZE=2 "MASTER_ADDR=$address" MASTER_PORT=29517 timeout --signal=KILL 300
        "$program" train "$work/config.yaml" --resume --set "checkpoints.directory=$work/$run" "$@")
    ((number == 0)) || command=(over_there "${command[@]}")
    "${command[@]}" > "$work/$run.$number.out" 2> "$work/$run.$number.err"
}

# both RUN argument...: sets `statuses`, those of rank 0 and 1; `meanwhile` runs beside them.
both() {
    local first second
    statuses=()
    rank 0 "$@" &
    first=$!
    rank 1 "$@" &
    second=$!
    "${meanwhile[@]}"
    for process in "$first" "$second"; do
        local status=0
        wait "$process" || status=$?
        statuses+=("$status")
    done
}

expect_success() {
    [[ ${statuses[*]} == "0 0" ]] || fail "$1: the processes ended with ${statuses[*]}"
}

expect_same() {
    cmp "$work/whole/model.safetensors" "$work/$1/model.safetensors" || fail "$1: other weights than those of one process"
}

says() { # RUN RANK TEXT
    grep -qF -- "$3" "$work/$1.$2.err" || fail "rank $2 of $1 does not say: $3"
}

wait_for_updates() { until [[ -s $work/$1/metrics.jsonl ]]; do sleep 0.02; done; }

meanwhile=(true)
"$program" train "$work/config.yaml" > "$work/whole.err" 2>&1 || fail "one process"

# What a process of this small model takes of the address space, kB.
note_size() {
    wait_for_updates together
    size=$(awk '$1 == "Name:" && $2 == "softalign" { found = 1 } $1 == "Name:" && $2 != "softalign" { found = 0 }
        found && $1 == "VmPeak:" && $2 > most { most = $2 } END { print most }' /proc/[0-9]*/status 2> /dev/null)
}
meanwhile=(note_size)
both together
meanwhile=(true)
expect_success "two machines"
expect_same together
echo "two machines: ok"

# Debian's installer gives a machine's own name an address that only the machine itself can reach.
printf '127.0.0.1 localhost\n127.0.1.1 here\n' > "$work/hosts"
mount --bind "$work/hosts" /etc/hosts || no_machines "/etc/hosts cannot be replaced here"
first_address=here
both name
[[ ${statuses[*]} == "8 8" ]] || fail "without an address the processes ended with ${statuses[*]}"
says name 0 "this machine has no address by which the other machines could reach it"
ip route add default via 10.77.0.2
both name
expect_success "the first one's name"
expect_same name
first_address=10.77.0.1
umount /etc/hosts
echo "a name that is loopback at home: ok"

updates=0
# A gigabit a second with 20 ms in each direction, and ten with 1 ms.
for cable in "1000 20" "10000 1"; do
    # shellcheck disable=SC2086
    connect_machines $cable
    both slow --set training.max_updates=$((updates += 20))
    expect_success "a slow cable"
done
connect_machines
both slow
expect_success "the cable without delay again"
expect_same slow
echo "slow cables: ok"

cut_cable() {
    wait_for_updates cut
    sleep "0.$((RANDOM % 10))"
    ip link set here down
}
for ((round = 0; round < rounds; ++round)); do
    rm -rf "$work/cut"
    meanwhile=(cut_cable)
    both cut --set training.max_updates=100000
    [[ ${statuses[*]} == "8 8" ]] || fail "after a cut the processes ended with ${statuses[*]}"
    says cut 0 "rank 1 ("
    says cut 1 "rank 0 ("
    ip link set here up
    meanwhile=(true)
    both cut
    # What was trained beyond the end of the other run is another run.
    expect_success "after a cut"
done
echo "the cable is cut, $rounds times: ok"

# At the same update as the whole run ends: cut once in between.
rm -rf "$work/cut"
meanwhile=(true)
both cut --set training.max_updates=80
meanwhile=(ip link set here down)
both cut
[[ ${statuses[*]} != "0 0" ]] || fail "without a cable the processes trained on"
ip link set here up
meanwhile=(true)
both cut
expect_success "with the cable again"
expect_same cut
echo "goes on with the same bytes: ok"

status=0
rank 0 alone || status=$?
((status == 8)) || fail "a rank that waits in vain ended with $status"
says alone 0 "of 2 processes, rank 1 did not come"
[[ ! -e $work/alone/config.yaml ]] || fail "a rank alone has begun a run"
status=0
rank 1 alone || status=$?
((status == 8)) || fail "a rank that does not find the first ended with $status"
says alone 1 "did not reach rank 0"
echo "one does not come: ok"

rank 0 waiting --set runtime.distributed.timeout=20 &
waiting=$!
until ss -ltnH 2> /dev/null | grep -q :29517 || ! kill -0 "$waiting" 2> /dev/null; do sleep 0.05; done
status=0
rank 0 second || status=$?
((status == 8)) || fail "a second run at the port ended with $status"
says second 0 "port 29517, where the processes are to meet, is in use"
rank 1 waiting --set runtime.distributed.timeout=20 || fail "the second run has disturbed the first"
wait "$waiting" || fail "the second run has disturbed the first"
expect_same waiting
echo "two runs with one port: ok"

# A larger model, and one that has not the memory for it.
((size > 0)) || fail "the size of a process is unknown"
large=(--set model.encoder.hidden_size=1000 --set training.max_updates=4 --set validation.every=4
    --set runtime.distributed.timeout=60)
both large "${large[@]}"
expect_success "a large model"
both tight "${large[@]}" --set training.max_updates=2
expect_success "a large model in parts"
rank 0 tight "${large[@]}" &
first=$!
status=0
(ulimit -v "$((size + 50000))" && rank 1 tight "${large[@]}") || status=$?
((status != 0)) || fail "a process had memory enough"
status=0
wait "$first" || status=$?
((status != 0)) || fail "the first process went on alone"
says tight 0 "rank 1 ("
says tight 0 "memory"
both tight "${large[@]}"
expect_success "with memory again"
cmp "$work/large/model.safetensors" "$work/tight/model.safetensors" || fail "after lack of memory: other weights"
echo "one is out of memory: ok"

mkdir "$work/disk"
mount -t tmpfs -o size=64k tmpfs "$work/disk" || no_machines "no small disk can be made here"
both disk
[[ ${statuses[0]} != 0 && ${statuses[1]} != 0 ]] || fail "with a full disk the processes ended with ${statuses[*]}"
says disk 1 "rank 0 ("
mount -o remount,size=64m "$work/disk"
both disk
expect_success "with room on the disk again"
expect_same disk
echo "the first one's disk is full: ok"
