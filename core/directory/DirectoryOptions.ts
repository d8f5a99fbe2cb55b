/** The durations of a directory, in milliseconds of its own clock, and the failures that a host is forgiven. */

/** The times of a directory. An omitted one has its default. */
export interface DirectoryOptions {
  /** Silence after which a host is lost, unless it announces another duration: 15,000. */
  readonly leaseMillis?: number
  /** Silence after which a host is gone, unless it announces another duration: 300,000. */
  readonly goneMillis?: number
  /** The wait of a claim for its confirmation: 30,000. */
  readonly claimMillis?: number
  /** Failed starts in a row after which a host rests: 3. */
  readonly failures?: number
  /** The rest of such a host before it gets one claim again: 30,000. */
  readonly restMillis?: number
  /** The time for which an ended session can be looked up: 3,600,000. */
  readonly keepMillis?: number
  /** The interval between two looks for expired rows: 500. */
  readonly tickMillis?: number
  /** The most time that counts between two looks, so that no host is lost while the directory is away: 2,000. */
  readonly stepMillis?: number
  /** The deadline of an operation, which then fails with `Unavailable`: 5,000. */
  readonly deadlineMillis?: number
}

export type Settings = Required<DirectoryOptions>

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
