# shellcheck shell=bash
# Two machines, as far as the programs on them can tell: network namespaces with a cable between them. Source it.

# inside_namespaces SCRIPT argument...: runs the script again in namespaces of its own, unless it is there already. Where
# that is not permitted, ends with 77 and says why.
inside_namespaces() {
    [[ -z ${INSIDE_NAMESPACES:-} ]] || return 0
    PATH=$PATH:/usr/sbin:/sbin
    local tool
    for tool in ip nsenter unshare; do
        command -v "$tool" >/dev/null || no_machines "$tool is not installed (iproute2, util-linux)"
    done
    local as_root=()
    [[ $(id -u) == 0 ]] || as_root=(--user --map-root-user)
    unshare "${as_root[@]}" --net --uts --mount --pid --fork true 2>/dev/null || no_machines "namespaces are not permitted here"
    INSIDE_NAMESPACES=yes exec unshare "${as_root[@]}" --net --uts --mount --pid --fork --kill-child --mount-proc "$@"
}

no_machines() {
    echo "skipped: $*" >&2
    exit 77
}

# Makes the other machine, without a cable. This one is `here`, 10.77.0.1, and the other one `there`, which will be
# 10.77.0.2. They see none of each other's processes.
start_other_machine() {
    unshare --net --uts --pid --fork --kill-child sleep infinity &
    local outer=$!
    other_machine=
    until [[ -n $other_machine ]]; do
        sleep 0.01
        read -r other_machine <"/proc/$outer/task/$outer/children" || true
    done
    hostname here
    over_there hostname there
    ip link set lo up
    over_there ip link set lo up
}

# over_there command argument...: runs it on the other machine.
over_there() { nsenter --net="/proc/$other_machine/ns/net" --uts="/proc/$other_machine/ns/uts" --pid="/proc/$other_machine/ns/pid" "$@"; }

# connect_machines [MBIT [MS]]: the cable, of so many megabits a second, with a delay of so many milliseconds in each
# direction. Its ends are the interfaces `here` and `there`. Without a delay it is the kernel's own; a delay needs Python.
connect_machines() {
    local rate=${1:-} delay=${2:-0}
    disconnect_machines
    if [[ $delay == 0 ]]; then
        ip link add here type veth peer name there netns "$other_machine" 2>/dev/null || no_machines "no virtual cable can be made here"
    else
        local made
        exec {made}< <(exec python3 "$ROOT/scripts/lib/slow_cable.py" here there --rate "$rate" --delay "$delay")
        slow_cable=$!
        read -r -u "$made" || no_machines "no slow cable can be made here"
        exec {made}<&-
        ip link set there netns "$other_machine"
        ip link set here mtu 65000
        over_there ip link set there mtu 65000
    fi
    ip address add 10.77.0.1/24 dev here
    ip link set here up
    over_there ip address add 10.77.0.2/24 dev there
    over_there ip link set there up
    if [[ -n $rate && $delay == 0 ]]; then
        local bucket=(tbf rate "${rate}mbit" burst "$((rate * 1000 / 8 / 4 + 65536))" latency 100ms)
        tc qdisc add dev here root "${bucket[@]}"
        over_there tc qdisc add dev there root "${bucket[@]}"
    fi
}

disconnect_machines() {
    [[ -z ${slow_cable:-} ]] || kill "$slow_cable" 2>/dev/null || true
    slow_cable=
    ip link delete here 2>/dev/null || true
    until [[ ! -e /sys/class/net/here ]] || ! ip link show here >/dev/null 2>&1; do sleep 0.01; done
}

stop_other_machine() {
    disconnect_machines
    kill "$other_machine" 2>/dev/null || true
}
