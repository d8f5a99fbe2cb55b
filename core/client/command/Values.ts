/** The values of a template: what may stand for an argument, and what is refused, by name. */
import type { ClientError } from "../ClientError.ts"
import { invalid } from "../OptionNames.ts"

/** One argument. */
export type Argument = string | number | bigint

/** A value in a template: an argument, or an array of them for as many arguments. */
export type Value = Argument | ReadonlyArray<Argument>

/** The texts of a template, as the source has them. */
export interface Template extends ReadonlyArray<string> {
  /** Without escapes of JavaScript: a backslash is a backslash. */
  readonly raw: ReadonlyArray<string>
}

/** The error of a template. */
export const fault = ({ raw }: Template, message: string): ClientError => {
  const shown = raw.join("${…}").trim().replace(/\s+/g, " ")
  return invalid(`$\`${shown.length > 80 ? `${shown.slice(0, 79)}…` : shown}\`: ${message}`)
}

/** The arguments that value `index` stands for. Throws for what is none. */
export const toArguments = (template: Template, index: number, value: unknown): ReadonlyArray<string> => {
  const name = `value ${index + 1}`
  if (!Array.isArray(value)) return [toArgument(template, name, value)]
  return value.map((one: unknown, at) => toArgument(template, `${name}[${at}]`, one))
}

const toArgument = (template: Template, name: string, value: unknown): string => {
  const isText = typeof value === "string" || typeof value === "bigint"
  if (!isText && !(typeof value === "number" && Number.isFinite(value))) {
    throw fault(template, `${name} is ${kindOf(value)}: ${expected}`)
  }
  const text = String(value)
  if (text.includes("\0")) throw fault(template, `${name} has a NUL character, which no argument can have`)
  return text
}

const expected = "expected a string, a number, or an array of them; [] stands for no argument"

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return "an array"
  if (typeof value === "object" && value !== null) {
    const { name = "" } = (value.constructor as { name?: string } | undefined) ?? {}
    return name === "" || name === "Object" ? "an object" : `an object (${name})`
  }
  return typeof value === "function" || typeof value === "symbol" ? `a ${typeof value}` : String(value)
}
