/**
 * What makes a shell say where its prompts and commands begin and end: OSC 133 A, C and D, and its directory as
 * `OSC 633 ; P ; Cwd=…`. An empty line is no command.
 */

/** The body of the function that both shells call before a prompt. */
const prompt = String.raw`    local code=$? cwd=${"$"}{PWD//\\/\\\\}
    cwd=${"$"}{cwd//;/\\x3b} cwd=${"$"}{cwd//$'\a'/\\x07} cwd=${"$"}{cwd//$'\e'/\\x1b} cwd=${"$"}{cwd//$'\n'/\\x0a}
    printf '\e]633;P;Cwd=%s\a' "$cwd"
    if [[ $__procwire_ran == 1 ]]; then printf '\e]133;D;%s\a' "$code"; fi
    __procwire_ran=0
    printf '\e]133;A\a'
    return "$code"
`

const bash = String.raw`# procwire: marks of prompts and commands, for interactive bash from 4.4
if [[ $- == *i* && -z ${"$"}{__procwire_ran-} ]]; then
  __procwire_ran=0
  __procwire_prompt() {
${prompt}  }
  # It is expanded before each command: the arithmetic sets the variable, and expands to nothing.
  PS0=${"$"}{PS0-}'${"$"}{__procwire_ran:0:$((__procwire_ran=1,0))}\e]133;C\a'
  PROMPT_COMMAND="__procwire_prompt${"$"}{PROMPT_COMMAND:+; $PROMPT_COMMAND}"
fi
`

const zsh = String.raw`# procwire: marks of prompts and commands, for interactive zsh
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

/** The text for each shell, to be evaluated in it. */
export const texts: Readonly<Record<string, string>> = { bash, zsh }
