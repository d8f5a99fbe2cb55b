/** The durations of a directory, in milliseconds of its own clock, and the failures that a host is forgiven. */

/** How patient a directory is. What is left out has its default. */
export interface DirectoryOptions {
  /** Silence after which a host is lost, unless it announces another duration: 15,000. */
  readonly leaseMillis?: number
  /** Silence after which a host is gone, unless it announces another duration: 300,000. */
  readonly goneMillis?: number
  /** How long a claim waits to be confirmed: 30,000. */
  readonly claimMillis?: number
  /** Failed starts in a row after which a host rests: 3. */
  readonly failures?: number
  /** How long such a host rests before it gets one claim again: 30,000. */
  readonly restMillis?: number
  /** How long a session that has ended can be looked up: 3,600,000. */
  readonly keepMillis?: number
  /** How often somebody looks at what has expired: 500. */
  readonly tickMillis?: number
  /** How much time counts at most between two looks, so that nobody is lost while the directory is away: 2,000. */
  readonly stepMillis?: number
  /** How long an operation may take, before it fails with `Unavailable`: 5,000. */
  readonly deadlineMillis?: number
}

/** Every option with its value. */
export type Settings = Required<DirectoryOptions>

/** What is so if nothing else is said. */
export const defaults: Settings = {
  leaseMillis: 15_000,
  goneMillis: 300_000,
  claimMillis: 30_000,
  failures: 3,
  restMillis: 30_000,
  keepMillis: 3_600_000,
  tickMillis: 500,
  stepMillis: 2_000,
  deadlineMillis: 5_000,
}

/** The greatest number of milliseconds: some 24 days, as timers have it. */
export const mostMillis = 2 ** 31 - 1

/** The options with their defaults. Throws a RangeError that names the first value that is out of its bounds. */
export const resolve = (options: DirectoryOptions = {}): Settings => {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const settings: Settings = { ...defaults, ...Object.fromEntries(given) }
  for (const [name, value] of Object.entries(settings))
    if (!Number.isSafeInteger(value) || value < 1 || value > mostMillis)
      throw new RangeError(`${name} must be a whole number from 1 to ${mostMillis}, and is ${value}`)
  if (settings.goneMillis < settings.leaseMillis)
    throw new RangeError(
      `goneMillis (${settings.goneMillis}) must not be below leaseMillis (${settings.leaseMillis})`,
    )
  return settings
}
