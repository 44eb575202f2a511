# SPDX-License-Identifier: Apache-2.0
# Completions of plumb for bash; made by tools/completions from --help.
_plumb() {
  local word=${COMP_WORDS[COMP_CWORD]}
  local before=${COMP_WORDS[COMP_CWORD - 1]}
  local command= options= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ -n $command || ${COMP_WORDS[i]} == -* ]] || command=${COMP_WORDS[i]}
    # What follows is for the compiler.
    [[ ${COMP_WORDS[i]} != -- ]] || command=--
  done
  case $command in
    history)
      options='-h --help --spec --condition --follow --closed --literal --witness --errors --minimum-factor --largest-factor --keys --decider --operations --json --html --junit --sarif --time-limit --memory-limit --jobs --seed --quiet --no-color'
      ;;
    test)
      options='-h --help --only --replay --search --preemptions --executions --steps --heap --memory --races --leaks --loops --spurious --values --audit --rand --programs --stress --all --relax-orders --list --dot --opt --rebuild --args --gdb --json --html --junit --sarif --time-limit --memory-limit --jobs --seed --quiet --no-color'
      ;;
    verify)
      options='-h --help --check --set --property --object --processes --values --operations --cells --method --search --state-limit --trace --replay --lts --graph --minimum-factor --largest-factor --relaxation --fairness --pat-counts --keep-dead --no-symmetry --no-data-symmetry --no-tight-calls --no-por --por --store --checkpoint --checkpoint-every --resume --spill --json --html --junit --sarif --time-limit --memory-limit --jobs --seed --quiet --no-color'
      ;;
    explore)
      options='-h --help --check --set --property --object --processes --values --operations --cells --seed'
      ;;
    format)
      options='-h --help --write --check'
      ;;
    specs)
      options='-h --help'
      ;;
    report)
      options='-h --help -o --output --html --junit --sarif'
      ;;
    doctor)
      options='-h --help --json --no-color'
      ;;
    '')
      options='-h --help -v --version'
      words='history test verify explore format specs report doctor'
      ;;
  esac
  case $command/$before in
    history/--spec)
      options=
      words='queue stack deque priority_queue set map register counter mutex snzi bag'
      ;;
    history/--condition)
      options=
      words='linearizable sequential quiescent'
      ;;
    history/--largest-factor)
      options=
      words=
      ;;
    history/--keys)
      options=
      words='auto tuples none'
      ;;
    history/--decider)
      options=
      words='auto general special'
      ;;
    history/--operations)
      options=
      words=
      ;;
    history/--json)
      options=
      words=FILE
      ;;
    history/--html)
      options=
      words=FILE
      ;;
    history/--junit)
      options=
      words=FILE
      ;;
    history/--sarif)
      options=
      words=FILE
      ;;
    history/--time-limit)
      options=
      words=
      ;;
    history/--memory-limit)
      options=
      words=
      ;;
    history/--jobs)
      options=
      words=
      ;;
    history/--seed)
      options=
      words=
      ;;
    test/--only)
      options=
      words=
      ;;
    test/--replay)
      options=
      words=
      ;;
    test/--search)
      options=
      words='exhaustive states preemptions pct random'
      ;;
    test/--preemptions)
      options=
      words=
      ;;
    test/--executions)
      options=
      words=
      ;;
    test/--steps)
      options=
      words=
      ;;
    test/--heap)
      options=
      words='lifo fifo quarantine shared all own'
      ;;
    test/--memory)
      options=
      words='sc tso rc11 auto'
      ;;
    test/--races)
      options=
      words='find allow'
      ;;
    test/--leaks)
      options=
      words='find allow'
      ;;
    test/--loops)
      options=
      words='cut keep'
      ;;
    test/--spurious)
      options=
      words='all cas wakes none'
      ;;
    test/--values)
      options=
      words='all alike'
      ;;
    test/--audit)
      options=
      words='on off'
      ;;
    test/--rand)
      options=
      words=
      ;;
    test/--programs)
      options=
      words=
      ;;
    test/--stress)
      options=
      words=
      ;;
    test/--dot)
      options=
      words=FILE
      ;;
    test/--opt)
      options=
      words='0 1 2 3 s g'
      ;;
    test/--args)
      options=
      words=
      ;;
    test/--json)
      options=
      words=FILE
      ;;
    test/--html)
      options=
      words=FILE
      ;;
    test/--junit)
      options=
      words=FILE
      ;;
    test/--sarif)
      options=
      words=FILE
      ;;
    test/--time-limit)
      options=
      words=
      ;;
    test/--memory-limit)
      options=
      words=
      ;;
    test/--jobs)
      options=
      words=
      ;;
    test/--seed)
      options=
      words=
      ;;
    verify/--check)
      options=
      words=
      ;;
    verify/--set)
      options=
      words=
      ;;
    verify/--property)
      options=
      words=
      ;;
    verify/--object)
      options=
      words=
      ;;
    verify/--processes)
      options=
      words=
      ;;
    verify/--values)
      options=
      words=
      ;;
    verify/--operations)
      options=
      words=
      ;;
    verify/--cells)
      options=
      words=
      ;;
    verify/--method)
      options=
      words='auto exact points'
      ;;
    verify/--search)
      options=
      words='bfs dfs'
      ;;
    verify/--state-limit)
      options=
      words=
      ;;
    verify/--trace)
      options=
      words=FILE
      ;;
    verify/--replay)
      options=
      words=FILE
      ;;
    verify/--lts)
      options=
      words=FILE
      ;;
    verify/--minimum-factor)
      options=
      words=
      ;;
    verify/--largest-factor)
      options=
      words=
      ;;
    verify/--relaxation)
      options=
      words='exact window'
      ;;
    verify/--fairness)
      options=
      words='none weak strong global weak-event strong-event'
      ;;
    verify/--por)
      options=
      words='persistent cartesian both'
      ;;
    verify/--store)
      options=
      words='exact compact bitstate'
      ;;
    verify/--checkpoint)
      options=
      words=FILE
      ;;
    verify/--checkpoint-every)
      options=
      words=
      ;;
    verify/--resume)
      options=
      words=FILE
      ;;
    verify/--spill)
      options=
      words=FILE
      ;;
    verify/--json)
      options=
      words=FILE
      ;;
    verify/--html)
      options=
      words=FILE
      ;;
    verify/--junit)
      options=
      words=FILE
      ;;
    verify/--sarif)
      options=
      words=FILE
      ;;
    verify/--time-limit)
      options=
      words=
      ;;
    verify/--memory-limit)
      options=
      words=
      ;;
    verify/--jobs)
      options=
      words=
      ;;
    verify/--seed)
      options=
      words=
      ;;
    explore/--check)
      options=
      words=
      ;;
    explore/--set)
      options=
      words=
      ;;
    explore/--property)
      options=
      words=
      ;;
    explore/--object)
      options=
      words=
      ;;
    explore/--processes)
      options=
      words=
      ;;
    explore/--values)
      options=
      words=
      ;;
    explore/--operations)
      options=
      words=
      ;;
    explore/--cells)
      options=
      words=
      ;;
    explore/--seed)
      options=
      words=
      ;;
    report/-o | report/--output | report/--html)
      options=
      words=FILE
      ;;
    report/--junit)
      options=
      words=FILE
      ;;
    report/--sarif)
      options=
      words=FILE
      ;;
    doctor/--json)
      options=
      words=FILE
      ;;
    history/* | test/* | verify/* | explore/* | format/* | report/* | --/*)
      words=FILE
      ;;
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ $words == FILE ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  fi
}
complete -F _plumb plumb
