/**
 * Channels of an SSH connection that a ControlMaster holds: sessions with programs of the far side (RFC 4254).
 *
 * The socket of the ControlMaster is asked for its proxy mode (`ssh -O proxy`, since OpenSSH 7.4): from then on the
 * messages of the connection go over it as they are, so no local process stands between a channel and this one. Each
 * channel has a window, so one whose output is not taken holds up no other, and at most a window of it is in memory.
 */
import { connect } from "node:net"
import * as Channel from "./Channel.ts"
import * as Frames from "./Frames.ts"

/** The channels of one connection. */
export interface Channels {
  /** Opens a session. Rejects if the server has no more of them, or the connection is closed. */
  readonly open: (events: Channel.ChannelEvents) => Promise<Channel.Channel>
  /** Ends all channels. */
  readonly close: () => void
}

const hello = 1
const proxy = 0x1000000f
const proxied = 0x8000000f
const version = 4

/** The connection behind this socket; `onClosed` is called when it ends, after all channels were told. */
export const make = (path: string, onClosed: () => void): Promise<Channels> =>
  new Promise((resolve, reject) => {
    const socket = connect(path)
    const channels = new Map<number, Channel.Receiver>()
    let [count, accepted, closed] = [0, false, false]

    const open = (events: Channel.ChannelEvents) =>
      new Promise<Channel.Channel>((resolve, reject) => {
        if (closed) return reject(new Error("the connection is closed"))
        const id = count++
        const send: Channel.Send = (kind, ...fields) => {
          if (!closed) socket.write(Frames.encode([0, kind], fields))
        }
        const settle = { opened: resolve, refused: reject, gone: () => channels.delete(id) }
        channels.set(id, Channel.make(id, send, events, settle))
      })

    const onFrame = (frame: Buffer) => {
      const fields = Frames.reader(frame)
      if (accepted) {
        fields.byte()
        const kind = fields.byte()
        return channels.get(fields.number())?.(kind, fields)
      }
      const kind = fields.number()
      if (kind === hello) return
      if (kind !== proxied) return socket.destroy(new Error("ssh refuses to be a proxy: OpenSSH 7.4 has it"))
      accepted = true
      resolve({ open, close: () => void socket.destroy() })
    }

    socket.on("data", Frames.cutter(onFrame))
    socket.once("error", reject)
    socket.once("close", () => {
      closed = true
      reject(new Error("ssh has closed the socket of its connection"))
      for (const receive of channels.values()) receive(Channel.lost, Frames.reader(Buffer.alloc(0)))
      onClosed()
    })
    socket.write(Frames.encode([], [hello, version]))
    socket.write(Frames.encode([], [proxy, 0]))
  })
