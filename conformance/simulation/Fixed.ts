/** Seeds that once failed, each for another reason, by what they play. */
type Seeds = Readonly<Record<string, ReadonlyArray<number>>>

/** Those that showed a fault of what is simulated; they are played again with every test. */
export const fixed: Seeds = {
  // 531 failed, too. It costs as much as fifty others: five million segments of a byte.
  "sessions,files,http,agents": [
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
    // A watch that began as soon as the one before it had failed was forgotten.
    483_177_441,
  ],
  "sessions,viewers": [
    // Output left behind a gap although the gap had filled the connection.
    250,
  ],
  "sessions,keep": [
    // An exit that was reported had another seq at the next server, if output came when no server was there.
    22, 29,
  ],
  waits: [
    // The empty end of a text was placed before the seq of its wait.
    49,
    // Output that the log still had came twice, as the head and as the tail.
    653_730_491,
  ],
  drills: [
    // An attach that waited while its session was lost was asked for in the next session.
    78,
  ],
  records: [
    // A search reported a line that was dropped meanwhile as one that came later.
    31,
    // A read skipped output of the log in front of a history that began behind it.
    130,
  ],
}

/** Those that showed a fault of the simulation itself; the part `simulation` of `npm run test:all` plays them. */
export const ofItself: Seeds = {
  "sessions,files,http,agents": [
    2, 8, 14, 381, 26, 82, 155, 100_213, 100_231, 100_343, 30_648_306, 40_000_080, 40_000_320, 90_000_251,
    825_908_358, 152_328_742, 684, 989_176_062, 5_000_076, 53_893_508, 5654, 38_094, 38_178, 61_069,
  ],
  "sessions,viewers": [134, 892_938_687],
  "sessions,writers": [13],
  waits: [59, 60, 72, 83, 363, 577, 730_703_165],
  // A call failed by an answer to no request was judged before the connection counted as lost.
  drills: [494_646_664, 494_646_809, 494_646_871, 494_646_875],
  records: [9, 11, 82, 49_010_276],
}
