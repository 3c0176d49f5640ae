#!/usr/bin/env bash
# Tests a commit the way a new user would run it: on a bare Debian system that is created for the test and removed
# afterwards. Clones the commit into it, runs scripts/quickstart.sh, scripts/test.sh and scripts/package.sh there, and
# installs the package on another bare system.
#
#   scripts/test_on.sh bookworm|trixie|sid [option...]
#
#   --quick          builds the program, trains the demo for 15 seconds, and builds and runs the tests of three folders
#   --commit REV     the commit to test (default: HEAD); uncommitted changes are not tested
#   --cache DIR      where the bare system and its packages are kept for the next time (default: build/systems)
#   --mirror URL     the archive to install Debian from (default: http://deb.debian.org/debian)
#
# Needs root, debootstrap, git, a mirror, and 6 GB in /var/tmp (or TMPDIR). The tests run in a temporary folder by chroot, with
# mounts and processes of their own that end with this script. Nothing else on the machine changes.
# Exits with status 77, and says why, if a bare system cannot be made on this machine.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"

# The folders, separated by commas, whose tests --quick builds and runs. All of src/ is built in any case; most tests take far
# longer to compile.
QUICK_TESTS=base,kernels,text

cannot() {
    warn "not tested on ${system:-Debian}: $*"
    exit 77
}

system="" quick=0 commit=HEAD cache=$ROOT/build/systems mirror=http://deb.debian.org/debian
while (($# > 0)); do
    case $1 in
        --commit | --cache | --mirror)
            [[ -n ${2:-} ]] || die "$1 needs a value (try --help)"
            declare "${1#--}=$2"
            shift 2
            ;;
        --quick) quick=1 && shift ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        bookworm | trixie | sid) system=$1 && shift ;;
        *) die "unknown argument $1 (try --help)" ;;
    esac
done
[[ -n $system ]] || die "name a system: bookworm, trixie or sid (try --help)"
commit=$(git -C "$ROOT" rev-parse --verify --quiet "$commit^{commit}") || die "--commit: there is no such commit"

[[ $(id -u) == 0 ]] || cannot "this needs root, for debootstrap and chroot (sudo scripts/test_on.sh ...)"
command -v debootstrap >/dev/null || cannot "debootstrap is not installed (apt-get install debootstrap)"
unshare --mount --pid --fork true 2>/dev/null || cannot "mounting is not permitted here (a container without privileges?)"
mkdir -p -- "$cache"
cache=$(cd -- "$cache" && pwd)
exec {lock}>"$cache/$system.lock"
flock --nonblock "$lock" || { say "Waiting for another test on $system that uses $cache" && flock "$lock"; }

# debootstrap accepts no path with spaces, which the checkout's may have.
folder=${TMPDIR:-/var/tmp}
[[ $folder != *[[:space:]]* ]] || folder=/var/tmp
work=$(mktemp -d "$folder/softalign-$system.XXXXXX")
inside=""
clean_up() {
    [[ -z $inside ]] || { kill -KILL "$inside" && wait "$inside"; } 2>/dev/null || true
    rm -rf --one-file-system -- "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# A mirror that lags or is frozen serves expired package lists; they are good enough here.
make_base() {
    debootstrap --variant=minbase "$system" "$work/base" "$mirror" &&
        echo 'Acquire::Check-Valid-Until "false";' >"$work/base/etc/apt/apt.conf.d/90old-lists" &&
        tar --create --numeric-owner --file "$cache/$system.tar.new" --directory "$work/base" . &&
        mv -- "$cache/$system.tar.new" "$cache/$system.tar" && rm -rf --one-file-system -- "$work/base"
}

mirror_answers() {
    # As debootstrap fetches: with wget.
    wget --quiet --tries=2 --timeout=20 --output-document=/dev/null "$mirror/dists/$system/Release"
}

# A path with a space in it, as on a desktop.
PLACE="/root/soft align"

unpack_system() { # FOLDER
    mkdir -- "$1"
    tar --extract --numeric-owner --file "$cache/$system.tar" --directory "$1"
    mkdir -p -- "$cache/$system.packages/partial"
    cp --dereference -- /etc/resolv.conf "$1/etc/resolv.conf"
    cp -- "$ROOT/scripts/lib/stranger.sh" "$1/root/stranger.sh"
}

unpack_with_commit() {
    unpack_system "$work/root"
    git clone --quiet --no-hardlinks "$ROOT" "$work/root$PLACE"
    git -C "$work/root$PLACE" -c advice.detachedHead=false checkout --quiet --detach "$commit"
}

# Runs in namespaces of its own, so that its mounts and processes end with it, however it ends. Background jobs ignore Ctrl-C;
# programs and tests inside would inherit that, so env undoes it.
enter_system() { # FOLDER argument...
    export ROOT_FOLDER=$1 PACKAGES=$cache/$system.packages
    # shellcheck disable=SC2016
    exec env --default-signal=INT,QUIT unshare --mount --pid --fork --kill-child bash -euc '
        mount -t proc proc "$ROOT_FOLDER/proc"
        mount --bind "$PACKAGES" "$ROOT_FOLDER/var/cache/apt/archives"
        exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM="${TERM:-dumb}" \
            ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
            chroot "$ROOT_FOLDER" bash /root/stranger.sh "$@"' bash "${@:2}"
}

# The package, and the model of the demo to try it with, on a system that has nothing else. In the end, the sizes of the
# package and of that system, which is what an image of a container would hold.
install_package() {
    local made="$work/root$PLACE" bare=$work/bare
    unpack_system "$bare"
    mkdir -p -- "$bare/srv/package"
    cp -- "$made"/build/package/softalign_*.deb "$made/data/demo/test.en" "$made/runs/demo/test.de" "$bare/srv/package"
    cp -R -- "$made/runs/demo" "$bare/srv/package/model"
    (enter_system "$bare" install /srv/package)
    rm -rf -- "$bare/srv/package" "$bare"/var/lib/apt/lists/*
    du --summarize --block-size=MB "$made"/build/package/softalign_*.deb "$bare"
}

say "Testing $(git -C "$ROOT" log -1 --format='%h (%s)' "$commit") on Debian $system"
command -v wget >/dev/null && { mirror_answers || cannot "the mirror $mirror does not answer"; }
if [[ ! -e $cache/$system.tar ]]; then
    step "Making a bare system ($cache/$system.tar)" make_base
fi
step "Unpacking it with a clone of the commit ($work)" unpack_with_commit
tests=""
((quick)) && tests=$QUICK_TESTS
enter_system "$work/root" build "$PLACE" "$tests" &
inside=$!
status=0
wait "$inside" || status=$?
inside=""
if ((status != 0)); then
    warn "$system: failed with status $status after $SECONDS s"
    exit "$status"
fi
step "Installing its package on another bare system" install_package
say "The package has $(tail -n 2 "$LOG" | awk '{ printf "%s%s", (NR > 1 ? ", that system with it " : ""), $1 }')"
say "$system: all of it passed, after $SECONDS s"
