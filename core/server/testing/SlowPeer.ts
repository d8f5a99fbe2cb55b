/** A sender whose peer takes messages, but keeps up with them on request only. */
import * as FairSender from "../FairSender.ts"

/** The sender, what it has sent, and whether the peer keeps up: not at first. */
export const make = () => {
  const sent: Array<string> = []
  const peer = { writable: false }
  const sender = FairSender.make((message) => {
    sent.push(String(message))
    return peer.writable
  })
  return { sender, peer, sent }
}
