/**
 * The scripts that make bash, zsh and fish ask `procwire complete` what fits. The first line of its answer is the kind
 * (`words`, `file`, `directory`, `program`); words follow, each with a tab and what it means.
 */

const bash = `\
# bash completion of procwire: eval "$(procwire completion bash)"
_procwire() {
  local IFS=$'\\n' cur=\${COMP_WORDS[COMP_CWORD]} answer
  answer=$(procwire complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  case \${answer%%$'\\n'*} in
    file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
    directory) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")) ;;
    program) COMPREPLY=($(compgen -c -- "$cur")) ;;
    words)
      local word
      COMPREPLY=()
      while IFS=$'\\t' read -r word _; do
        [[ $word == "$cur"* ]] && COMPREPLY+=("$(printf %q "$word")")
      done < <(tail -n +2 <<<"$answer")
      ;;
  esac
}
complete -F _procwire procwire
`

const zsh = `\
#compdef procwire
# zsh completion of procwire: source <(procwire completion zsh), or this as _procwire in a folder of $fpath
_procwire() {
  local -a answer found
  answer=("\${(@f)$(procwire complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case $answer[1] in
    file) _files ;;
    directory) _files -/ ;;
    program) _command_names -e ;;
    words)
      local line
      for line in "\${(@)answer[2,-1]}"; do
        found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
      done
      _describe procwire found
      ;;
  esac
}
if [[ $funcstack[1] == _procwire ]]; then _procwire "$@"; else compdef _procwire procwire; fi
`

const fish = `\
# fish completion of procwire: procwire completion fish | source
function __procwire_complete
  set -l words (commandline -opc)
  set -l answer (procwire complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
  switch $answer[1]
    case file
      __fish_complete_path (commandline -ct)
    case directory
      __fish_complete_directories (commandline -ct)
    case program
      __fish_complete_command
    case words
      printf '%s\\n' $answer[2..-1]
  end
end
complete -c procwire -f -a '(__procwire_complete)'
`

/** The script of each shell. */
export const scripts: Readonly<Record<"bash" | "zsh" | "fish", string>> = { bash, zsh, fish }
