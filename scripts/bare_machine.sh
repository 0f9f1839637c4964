#!/usr/bin/env bash
# scripts/bare_machine.sh RELEASE...: the README's two commands on bare Debian machines; see usage
# below.
set -uo pipefail

program=bare_machine
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/myblas/bare_machine

usage() {
    cat <<END
usage: scripts/bare_machine.sh [--keep] RELEASE...
Runs bench/quickstart.sh and tests/run.sh as a newcomer does, for each RELEASE (bookworm, trixie,
...): in a chroot that debootstrap makes, with git and nothing else, as root, in a fresh clone of
HEAD below /root. Prints times; the exit status is 0 if all commands succeed. Needs root,
debootstrap and a network.
  --keep  leaves the chroot and says where it is
The machine's settings of apt and pip hold there: mirror, proxies, keys, certificates. The base
systems and all downloaded packages are kept in
$cache
END
}

say() { echo "$program: $*"; }
die() {
    say "$*" >&2
    exit 1
}

# ---- A bare machine ------------------------------------------------------------------------------

# The archive that this machine's packages come from.
mirror() {
    # shellcheck disable=SC2016 # apt's variables
    apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
        awk '$1 !~ /-/ { print $2; exit }'
}

# base RELEASE: makes the archive of the base system, if it does not exist.
base() {
    local release=$1 archive=$cache/$1.tar from log
    [ ! -e "$archive" ] || return 0
    from=$(mirror)
    [ -n "$from" ] || die "apt has no source here, so there is no mirror to take Debian from"
    say "$release: making the base system"
    log=$cache/$release.log
    rm -rf "$work/base"
    debootstrap --variant=minbase --include=git "$release" "$work/base" "$from" >"$log" 2>&1 || {
        tail -n 5 "$log" >&2
        die "debootstrap failed; the whole output is in $log"
    }
    rm -f "$work"/base/var/cache/apt/archives/*.deb
    tar -C "$work/base" -cf "$archive.part" . && mv "$archive.part" "$archive" ||
        die "cannot write $archive"
    rm -rf "$work/base"
}

# connect CHROOT: gives it this machine's settings of the network.
connect() {
    local chroot=$1 file
    cp -L /etc/resolv.conf /etc/hosts "$chroot/etc/"
    apt-config dump |
        grep -E '^(Acquire::(http|https|ftp|Retries|Check-|AllowInsecure)|APT::Sandbox)' \
        >"$chroot/etc/apt/apt.conf.d/99machine"
    for file in /etc/apt/auth.conf /etc/apt/auth.conf.d /etc/apt/trusted.gpg.d /etc/apt/keyrings \
        /etc/pip.conf; do
        [ ! -e "$file" ] || cp -rL --no-target-directory "$file" "$chroot$file"
    done
    for file in .pip/pip.conf .config/pip/pip.conf; do
        [ ! -e "$HOME/$file" ] || install -D -m 600 "$HOME/$file" "$chroot/root/$file"
    done
}

# Sets `environment` to that of a login, with this machine's proxies, settings of pip and
# certificates. These come under a name of their own: Debian's certificates, which a package may
# install there, would replace a file of the same name.
environment_in() {
    local chroot=$1 name certificates=/etc/machine-certificates.pem
    environment=(HOME=/root USER=root LOGNAME=root SHELL=/bin/bash "TERM=${TERM:-dumb}"
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY "${!PIP_@}"; do
        [ -z "${!name:-}" ] || environment+=("$name=${!name}")
    done
    for name in PIP_CERT SSL_CERT_FILE REQUESTS_CA_BUNDLE; do
        [ -f "${!name:-}" ] || continue
        cp -L "${!name}" "$chroot$certificates"
        environment+=("$name=$certificates")
    done
}

# inside CHROOT COMMAND: runs the command in the clone. When it ends, its mounts and processes end
# with its namespaces. It runs in the background, so that a signal is handled at once.
inside() {
    local chroot=$1 command=$2 environment packages
    packages=$cache/packages-$(basename "$chroot")
    mkdir -p "$packages"
    environment_in "$chroot"
    # shellcheck disable=SC2016 # the inner shell's variables
    unshare --mount --pid --fork --kill-child bash -c '
        set -e
        mount --make-rprivate /
        mount -t proc proc "$1/proc"
        for folder in sys dev; do
            mount --rbind "/$folder" "$1/$folder"
        done
        mount --bind "$2" "$1/var/cache/apt/archives"
        chroot=$1
        shift 2
        exec chroot "$chroot" env -i "$@"' \
        inside "$chroot" "$packages" "${environment[@]}" bash -c "cd ~/myblas && $command" &
    child=$!
    wait "$child"
}

# ---- The two commands ----------------------------------------------------------------------------

# timed RELEASE CHROOT COMMAND: adds the last line of the output and the time to the summary.
timed() {
    local release=$1 chroot=$2 command=$3 result=0 last TIMEFORMAT='%0R s, %0U + %0S s of CPU time'
    echo "== $release: $command"
    { time inside "$chroot" "$command" >"$work/output" 2>&1; } 2>"$work/time" || result=$?
    cat "$work/output"
    last=$(tail -n 1 "$work/output")
    [[ $last == *" passed, "* ]] && last=": $last" || last=
    [ "$result" = 0 ] || last="$last; status $result"
    echo "$release: $command: $(tail -n 1 "$work/time")$last" | tee -a "$work/summary"
    return "$result"
}

try() {
    local release=$1 chroot=$work/$1 result=0
    base "$release"
    mkdir "$chroot"
    tar -C "$chroot" -xpf "$cache/$release.tar" || die "cannot unpack $cache/$release.tar"
    connect "$chroot"
    chmod 700 "$chroot/root"
    git clone --quiet "$root" "$chroot/root/myblas" || die "cannot clone $root"
    say "$release: commit $(git -C "$root" rev-parse --short HEAD), $(nproc) cores"
    timed "$release" "$chroot" bench/quickstart.sh || result=1
    timed "$release" "$chroot" tests/run.sh || result=1
    if [ "$keep" = 1 ]; then
        say "$release: the chroot is in $chroot"
    else
        rm -rf "$chroot"
    fi
    return "$result"
}

keep=0
releases=()
for word in "$@"; do
    case $word in
    -h | --help)
        usage
        exit
        ;;
    --keep) keep=1 ;;
    -*)
        usage >&2
        exit 2
        ;;
    *) releases+=("$word") ;;
    esac
done
[ "${#releases[@]}" -gt 0 ] || {
    usage >&2
    exit 2
}
[ "$(id -u)" = 0 ] || die "needs root, for chroot and mounts"
for command in debootstrap unshare git apt-get; do
    command -v "$command" >/dev/null || die "missing: $command"
done

mkdir -p "$cache" || die "cannot write to $cache"
work=$(mktemp -d -p "${TMPDIR:-/var/tmp}" bare_machine.XXXXXX) || exit 1
chmod 755 "$work"
trap '[ "$keep" = 1 ] || rm -rf "$work"' EXIT
child=
trap '[ -z "$child" ] || kill -KILL "$child"; exit 130' INT TERM
result=0
for release in "${releases[@]}"; do
    try "$release" || result=1
done
echo "== together"
cat "$work/summary"
exit "$result"
