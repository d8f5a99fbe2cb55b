/**
 * Secrets of processes: the checks of their names and values, the forms in which a value may be printed, and texts
 * without them.
 */
import type { Facts } from "../../process/Listed.ts"
import { toBase64, utf8 } from "../../protocol/Bytes.ts"
import type { StartParams } from "../../protocol/Process.ts"
import type { GivenSecret, Secret, SpawnSpec } from "../../spawn/Spawner.ts"

/** The params of a start, as far as secrets look at them. */
type Asked = Partial<Pick<StartParams, "secrets" | "env" | "envPolicy">>

/** The secrets of a start, those of the server included; undefined without any. */
export const ofStart = (
  { secrets }: Asked,
  own: ReadonlyArray<GivenSecret>,
): ReadonlyArray<GivenSecret> | undefined => {
  const given = givenOf(secrets)
  if (given.length === 0) return own.length === 0 ? undefined : own
  return [...given, ...own]
}

const givenOf = (secrets: Asked["secrets"]): ReadonlyArray<GivenSecret> =>
  Object.entries(secrets ?? {}).map(([name, secret]) => {
    const given = Object.entries(secret).filter(([, value]) => value != null)
    return { name, ...(Object.fromEntries(given) as unknown as Omit<GivenSecret, "name">) }
  })

/** The secrets with variables in a start: its own, and those of the server that it does not set itself. */
export const inVariables = (
  { env = {}, envPolicy, secrets }: Asked,
  own: ReadonlyArray<GivenSecret>,
): ReadonlyArray<GivenSecret> => {
  const set = { ...envPolicy?.set, ...env, ...secrets }
  return [...givenOf(secrets), ...own.filter(({ name }) => !Object.hasOwn(set, name))]
}

/** The variables of a start that have values: a secret with `hosts` is in none. */
export const variablesOf = (
  asked: Asked,
  own: ReadonlyArray<GivenSecret>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    inVariables(asked, own).flatMap(({ name, value, hosts }) => (hosts === undefined ? [[name, value]] : [])),
  )

/** The fewest bytes of a value: less would be found in output that has nothing to do with it. */
export const leastBytes = 6

/** The most bytes of all values of a process together: 256 KiB. */
export const mostBytes = 256 * 1024

/** The most characters of a name. */
export const longestName = 128

/** True for the name of a variable. */
export const isName = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name.length <= longestName

/** The text that takes the place of a value. */
export const tokenOf = ({ name }: Pick<Secret, "name">): string => `***${name}***`

/** The fault of the name of a secret, by its place, because it may be a value. */
export const badName = (index: number): string =>
  `secret ${index + 1} has no valid name: expected letters, digits and _, at most ${longestName}, no digit first`

/** The fault of these secrets, which names one of them and never says its value; undefined if there is none. */
export const fault = (secrets: ReadonlyArray<Secret>): string | undefined => {
  let all = 0
  for (const [index, { name, value }] of secrets.entries()) {
    if (!isName(name)) return badName(index)
    const { length } = utf8.encode(value)
    all += length
    if (length < leastBytes) return `secret ${name} has less than ${leastBytes} bytes, which cannot be masked`
    if (value.includes("\0")) return `secret ${name} has a NUL byte`
    const within = secrets.find((other) => tokenOf(other).includes(value))
    if (within !== undefined) return `secret ${name} has a value that masks show: the name of ${within.name}`
  }
  return all > mostBytes ? `the secrets have more than ${mostBytes} bytes together` : undefined
}

/** True for one with hosts, or with what only such a secret has. */
export const isHosted = ({ hosts, header, base, http }: GivenSecret): boolean =>
  (hosts ?? header ?? base ?? http) !== undefined

/** The fault of a secret with hosts where no rules hold. */
export const unguarded = ({ name }: Pick<GivenSecret, "name">): string =>
  `secret ${name} has hosts, which needs rules for egress (--egress)`

/** The forms of a value that are found in output, each once. */
export const formsOf = ({ value }: Pick<Secret, "value">): ReadonlySet<string> => {
  const bytes = utf8.encode(value)
  const percent = percentOf(bytes)
  const base64s = base64sOf(bytes)
  return new Set([
    value,
    // A terminal ends lines so.
    value.replaceAll(/\r?\n/g, "\r\n"),
    JSON.stringify(value).slice(1, -1),
    percent,
    percent.replaceAll(/%../g, (code) => code.toLowerCase()),
    ...base64s,
    ...base64s.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ])
}

/** As `encodeURIComponent`, of bytes. */
const percentOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => {
    const text = String.fromCharCode(byte)
    return /[A-Za-z0-9\-_.!~*'()]/.test(text) ? text : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  }).join("")

/** The whole base64, with and without padding, and the characters that the bytes fix behind 0, 1 and 2 others. */
const base64sOf = (bytes: Uint8Array): ReadonlyArray<string> => {
  const whole = toBase64(bytes)
  const within = [0, 1, 2].map((before) => {
    const text = toBase64(Uint8Array.from([...new Uint8Array(before), ...bytes]))
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  return [whole, whole.replace(/=+$/, ""), ...within]
}

const sorted = new WeakMap<ReadonlyArray<Secret>, ReadonlyArray<readonly [form: string, token: string]>>()

/** The forms of all secrets, the longest first, each with its token. */
export const formsOfAll = (secrets: ReadonlyArray<Secret>) => {
  const known = sorted.get(secrets)
  if (known !== undefined) return known
  const all = secrets.flatMap((secret) =>
    [...formsOf(secret)].map((form) => [form, tokenOf(secret)] as const),
  )
  // Those of a value that is refused may be of any length.
  const long = all.filter(([form]) => form.length >= leastBytes)
  long.sort(([one], [other]) => other.length - one.length)
  sorted.set(secrets, long)
  return long
}

/** A text without the values. */
export const redact = (secrets: ReadonlyArray<Secret> | undefined, text: string): string => {
  if (secrets === undefined) return text
  return formsOfAll(secrets).reduce((shown, [form, token]) => shown.replaceAll(form, () => token), text)
}

/** A spec as logs may have it. */
export const shown = (spec: SpawnSpec): SpawnSpec =>
  spec.secrets === undefined
    ? spec
    : { ...spec, ...facts(spec, spec), arg0: spec.arg0 && redact(spec.secrets, spec.arg0) }

/** Facts of a process as lists may have them. */
export const facts = <F extends Omit<Facts, "startedAtMs">>(of: F, { secrets }: SpawnSpec): F => {
  if (secrets === undefined) return of
  const hide = (text: string) => redact(secrets, text)
  const { name, labels = {} } = of
  const [program, ...args] = of.argv
  return {
    ...of,
    argv: [hide(program), ...args.map(hide)],
    cwd: hide(of.cwd),
    ...(name === undefined ? {} : { name: hide(name) }),
    ...(of.labels === undefined
      ? {}
      : { labels: Object.fromEntries(Object.entries(labels).map((label) => label.map(hide))) }),
  }
}
