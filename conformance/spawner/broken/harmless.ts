/** Unusual spawners without a fault: they must pass. */
import { withEvents, type Service } from "./Broken.ts"

export const harmless: { readonly [name: string]: (good: Service) => Service } = {
  "with a buffer that is used again after each call": withEvents((events) => ({
    ...events,
    output: (stream, bytes) => {
      events.output(stream, bytes)
      bytes.fill(0x21)
    },
  })),
  "with a chunk for every byte of short output": withEvents((events) => ({
    ...events,
    output: (stream, bytes) => {
      if (bytes.length > 300) return events.output(stream, bytes)
      for (let at = 0; at < bytes.length; at++) events.output(stream, bytes.subarray(at, at + 1))
    },
  })),
  "that says less than it can": (good) => ({
    ...good,
    capabilities: {
      pty: false,
      resize: false,
      arg0: false,
      processGroup: false,
      pipeStdin: false,
      pause: false,
      confine: false,
    },
  }),
}
