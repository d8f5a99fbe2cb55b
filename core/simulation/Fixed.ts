/** Seeds that once failed, each for another reason; they are played again with every test. */

/** Those of `waits` alone. */
export const fixedWaits: ReadonlyArray<number> = [
  // The empty end of a text was placed before the seq of its wait.
  49,
  // What the log still had was told twice, as the head and as the tail.
  653730491,
  // Of the simulation itself.
  59, 60, 72, 83, 363, 577, 730703165,
]

/** Those of `drills` alone. */
export const fixedDrills: ReadonlyArray<number> = [
  // An attach that waited while its session was lost was asked for in the next session.
  78,
]

/** Those of `records` alone. */
export const fixedRecords: ReadonlyArray<number> = [
  // A search told a line that was dropped meanwhile as one that came later.
  31,
  // A read skipped output of the log in front of a history that began behind it.
  130,
  // Of the simulation itself.
  9, 11, 82, 49010276,
]

/** Those of `sessions` and `viewers`. */
export const fixedViewers: ReadonlyArray<number> = [
  // Output left behind a gap although the gap had filled the connection.
  250,
  // Of the simulation itself.
  134, 892_938_687,
]

/** The seeds: of the code, and of the simulation itself. */
export const fixed: ReadonlyArray<number> = [
  // A request that came while a lost connection was being closed failed, although it was never sent.
  3, 16, 19,
  // A call on a process of a lost session was sent to the next session.
  77,
  // A watch for a missing file looked on the clock of the machine.
  85,
  // A frame that a deadline kept from being sent had its number all the same.
  500_094,
  // The end of a client interrupted who waited for a start whose failure was about to be explained.
  10_839,
  // Output that waited for credit when its process was forgotten never came: the grant was refused.
  23_622,
  // Of the simulation itself.
  2, 8, 14, 381, 26, 82, 155, 100_213, 100_231, 100_343, 30_648_306, 40_000_080, 40_000_320, 90_000_251,
  825_908_358, 152_328_742, 684, 989_176_062, 5_000_076, 53_893_508, 5654,
]

/** They once failed, too, and cost as much as fifty others: five million segments of a byte. */
export const dear: ReadonlyArray<number> = [531]
