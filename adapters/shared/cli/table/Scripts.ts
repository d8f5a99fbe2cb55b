/**
 * The scripts that make bash, zsh and fish ask `procwire complete` what fits. The first line of its answer is the kind
 * (`words`, `file`, `directory`, `program`); words follow, each with a tab and its meaning.
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

export const scripts: Readonly<Record<"bash" | "zsh" | "fish", string>> = { bash, zsh, fish }

/** The body of the function that both shells call before a prompt. */
const prompt = String.raw`    local code=$? cwd=${"$"}{PWD//\\/\\\\}
    cwd=${"$"}{cwd//;/\\x3b} cwd=${"$"}{cwd//$'\a'/\\x07} cwd=${"$"}{cwd//$'\e'/\\x1b} cwd=${"$"}{cwd//$'\n'/\\x0a}
    printf '\e]633;P;Cwd=%s\a' "$cwd"
    if [[ $__procwire_ran == 1 ]]; then printf '\e]133;D;%s\a' "$code"; fi
    __procwire_ran=0
    printf '\e]133;A\a'
    return "$code"
`

const bashMarks = String.raw`# procwire: marks of prompts and commands, for interactive bash from 4.4
if [[ $- == *i* && -z ${"$"}{__procwire_ran-} ]]; then
  __procwire_ran=0
  __procwire_prompt() {
${prompt}  }
  # It is expanded before each command: the arithmetic sets the variable, and expands to nothing.
  PS0=${"$"}{PS0-}'${"$"}{__procwire_ran:0:$((__procwire_ran=1,0))}\e]133;C\a'
  PROMPT_COMMAND="__procwire_prompt${"$"}{PROMPT_COMMAND:+; $PROMPT_COMMAND}"
fi
`

const zshMarks = String.raw`# procwire: marks of prompts and commands, for interactive zsh
if [[ -o interactive && -z ${"$"}{__procwire_ran-} ]]; then
  __procwire_ran=0
  __procwire_precmd() {
${prompt}  }
  __procwire_preexec() {
    __procwire_ran=1
    printf '\e]133;C\a'
  }
  precmd_functions=(__procwire_precmd ${"$"}{precmd_functions-})
  preexec_functions=(${"$"}{preexec_functions-} __procwire_preexec)
fi
`

/**
 * Scripts that have a shell mark the begin and end of its prompts and commands: OSC 133 A, C and D, and its directory
 * as `OSC 633 ; P ; Cwd=…`. An empty line is no command.
 */
export const marks: Readonly<Record<"bash" | "zsh", string>> = { bash: bashMarks, zsh: zshMarks }
