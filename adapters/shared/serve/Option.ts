/**
 * A row of the table of options: what a value is, how it is written as text, and which values are possible. A flag, a
 * variable, a line of a file and a property of a program's object are four ways to write the same value.
 */

/** The members of every option. */
interface Common {
  /** The flag of `procwire serve`, without dashes: the key of a file, and in capitals the end of the variable. */
  readonly flag: string
  /** The placeholder of the value in help texts. */
  readonly shows: string
  /** One sentence for help texts, without the default. */
  readonly help: string
  /** The default as the help has it. Absent where there is none. */
  readonly default?: string | number
}

/** Any text: an address, a path, a name. */
export interface TextOption extends Common {
  readonly kind: "text"
  /** True for a list of texts. */
  readonly repeatable?: boolean
  /** The possible texts. Absent for all but the empty one. */
  readonly rule?: Rule
}

/** A whole number. */
export interface NumberOption extends Common {
  readonly kind: "number"
  readonly unit: "count" | "bytes" | "ms" | "s"
  readonly least: number
  /** Absent where only the largest safe integer bounds it. */
  readonly most?: number
}

/** One of a few names. */
export interface ChoiceOption extends Common {
  readonly kind: "choice"
  readonly of: ReadonlyArray<string>
}

/** On or off; the default is off. */
export interface SwitchOption extends Omit<Common, "shows" | "default"> {
  readonly kind: "switch"
}

/** A row of the table. */
export type Option = TextOption | NumberOption | ChoiceOption | SwitchOption

/** The possible values. */
export interface Rule {
  readonly accepts: (value: unknown) => boolean
  /** The possible values, for an error text. */
  readonly expected: string
  /** True where no error text may show a value. */
  readonly isSecret?: boolean
}

/** The members of a row that most rows do not have, or that have a usual value. */
type More<Row> = Partial<Omit<Row, "kind" | "help">>

export const toggle = (help: string) => ({ kind: "switch", help }) as const

export const text = <const M extends More<TextOption>>(shows: string, help: string, more?: M) =>
  ({ kind: "text", shows, help, ...(more as M) }) as const

/** A list of texts. */
export const texts = <const M extends More<TextOption>>(shows: string, help: string, more?: M) =>
  ({ ...text(shows, help, more), repeatable: true }) as const

export const file = <const M extends More<TextOption>>(help: string, more?: M) => text("FILE", help, more)

export const choice = <const Word extends string, const M extends More<ChoiceOption>>(
  shows: string,
  of: ReadonlyArray<Word>,
  help: string,
  more?: M,
) => ({ kind: "choice", shows, of, help, ...(more as M) }) as const

/** A whole number, by default of at least 0. */
export const whole = <const M extends More<NumberOption>>(
  unit: NumberOption["unit"],
  help: string,
  more?: M,
) => ({ kind: "number", unit, shows: "N", least: 0 as number, help, ...(more as M) }) as const

export const millis = <const M extends More<NumberOption>>(help: string, more?: M) => whole("ms", help, more)

/** Any text but the empty one. */
export const someText: Rule = {
  accepts: (value) => typeof value === "string" && value !== "",
  expected: "a text that is not empty",
}

/** A host and a port: `proxy.example:3128`, `[::1]:3128`. */
export const hostAndPort: Rule = {
  accepts: (value) => {
    const [, port] = /^(?:\[[0-9a-f:.]+\]|[^\s/:@[\]]+):([0-9]{1,5})$/i.exec(String(value)) ?? []
    return port !== undefined && Number(port) > 0 && Number(port) <= 65_535
  },
  expected: "HOST:PORT, with a port from 1 to 65535",
}

/** The name of the option at a path in errors, also of one that was not given. */
export type Label = (path: string) => string

/** The value that a text stands for; a text that cannot be one is returned as it is, and its rule refuses it. */
export const fromText = (option: Option, text: string): unknown => {
  if (option.kind === "number") return numberOf(option, text) ?? text
  if (option.kind === "switch") return Object.hasOwn(switches, text) ? switches[text] : text
  return text
}

/** Bytes may be said in KiB, MiB, GiB and TiB: `512m`. */
const numberOf = ({ unit }: NumberOption, text: string): number | undefined => {
  const [, digits, suffix = ""] = /^([0-9]+)([kmgt]?)$/i.exec(text) ?? []
  if (digits === undefined || (suffix !== "" && unit !== "bytes")) return undefined
  const number = Number(digits) * 1024 ** " kmgt".indexOf(suffix === "" ? " " : suffix.toLowerCase())
  return Number.isSafeInteger(number) ? number : undefined
}

const switches: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false }

/** The possible values of an option of a row. */
export const ruleOf = (option: Option): Rule => {
  switch (option.kind) {
    case "text":
      if (option.rule !== undefined) return option.rule
      return option.repeatable === true
        ? { accepts: (value) => isText(value) || isTexts(value), expected: "a text or a list of texts" }
        : { accepts: isText, expected: "a text" }
    case "number": {
      const { least, most = Number.MAX_SAFE_INTEGER } = option
      const bound = most < Number.MAX_SAFE_INTEGER ? ` and at most ${most}` : ""
      return {
        accepts: (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
        expected: `a whole number of at least ${least}${bound}`,
      }
    }
    case "choice":
      return {
        accepts: (value) => isText(value) && option.of.includes(value),
        expected: `${option.of.slice(0, -1).join(", ")} or ${option.of.at(-1)}`,
      }
    case "switch":
      return { accepts: (value) => typeof value === "boolean", expected: "true or false" }
  }
}

const isText = (value: unknown): value is string => typeof value === "string"
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
