# SPDX-License-Identifier: Apache-2.0
# What ./plumb, ./test and tools/ share; sourced, with `root` set.

build_dir=$root/build/release
binary=$build_dir/plumb
# Dated when the last good build of the tool began.
stamp=$build_dir/.tool_is_built

say() { echo "plumb: $*" >&2; }

die() {
  say "$@"
  exit 2
}

# Is the tool newer than all it is made of?  Folders count too: their dates
# show files that came or went.
is_built() {
  [[ -x $binary && -e $stamp ]] || return 1
  local newer
  newer=$(find "$root"/CMakeLists.txt "$root"/CMakePresets.json "$root"/src \
    "$root"/include "$root"/cmake "$root"/page/dist \
    -newer "$stamp" -print -quit) && [[ -z $newer ]]
}

# Runs a command with its output in a log, shown only when it fails.  What takes
# long says every ten seconds how far it is: the step of ninja, the line of apt.
quietly() {
  local log ticker status=0
  log=$(mktemp)
  tell_progress "$log" &
  ticker=$!
  "$@" >"$log" 2>&1 || status=$?
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  [[ $status == 0 ]] || cat "$log" >&2
  rm -f "$log"
  return "$status"
}

tell_progress() {
  local began=$SECONDS
  # Whoever waits for the end of our output does not wait for this.
  while sleep "${PLUMB_PROGRESS_SECONDS:-10}" >/dev/null 2>&1; do
    say "$((SECONDS - began)) s: $(
      tail -n 1 "$1" | sed -E 's/^(\[[0-9]+\/[0-9]+\]).*/step \1/' | cut -c 1-60)"
  done
}

# Runs a command while no other ./plumb or ./test of this tree builds.  The
# lock ends with the subshell, so what runs afterwards does not hold it.
alone() {
  mkdir -p "$build_dir"
  (
    flock 9
    "$@" 9>&-
  ) 9>"$build_dir/.lock"
}
