/** The input of a channel: writes in call order, each as far as the window of the other side goes. */

/** The input of one channel. */
export interface ChannelInput {
  /** Waits until the window has taken all. Rejects once nobody reads it. */
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Ends it after the writes before. */
  readonly end: () => void
  /** Nobody reads it any more. */
  readonly close: () => void
  /** The window has grown; the first call says how long a packet may be. */
  readonly grow: (bytes: number, packet?: number) => void
}

interface Write {
  readonly bytes: Uint8Array
  readonly done: () => void
  readonly failed: (error: Error) => void
}

/** `sendEnd` is called once, unless it was closed before. */
export const make = (send: (bytes: Uint8Array) => void, sendEnd: () => void): ChannelInput => {
  let [room, longest, ending, closed] = [0, 0, false, false]
  const writes: Array<Write> = []
  const close = () => {
    closed = true
    for (const { failed } of writes.splice(0)) failed(new Error("nobody reads the input any more"))
  }
  const flush = () => {
    for (let write = writes[0]; write !== undefined; write = writes[0]) {
      let { bytes } = write
      while (bytes.length > 0 && room > 0) {
        const part = bytes.subarray(0, Math.min(room, longest))
        send(part)
        room -= part.length
        bytes = bytes.subarray(part.length)
      }
      if (bytes.length > 0) return void (writes[0] = { ...write, bytes })
      writes.shift()
      write.done()
    }
    if (!ending || closed) return
    close()
    sendEnd()
  }
  return {
    write: (bytes) =>
      new Promise((done, failed) => {
        if (closed || ending) return failed(new Error("the input is closed"))
        writes.push({ bytes, done, failed })
        flush()
      }),
    end: () => {
      ending = true
      flush()
    },
    close,
    grow: (bytes, packet = longest) => {
      room += bytes
      longest = packet
      flush()
    },
  }
}
