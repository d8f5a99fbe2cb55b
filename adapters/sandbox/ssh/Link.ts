/**
 * A connection to another machine: an `ssh` that is the ControlMaster, the keeper on the far side as its own session,
 * and channels for processes.
 *
 * The folder of the ControlPath is private, and gone as soon as the channels are connected. However the connection
 * comes to its end, the keeper kills what is left over there.
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Channels from "./Channels.ts"
import type { Destination } from "./Destination.ts"
import * as FarScripts from "./FarScripts.ts"
import * as Keeper from "./Keeper.ts"

/** A connection. */
export interface Link {
  /** As the destination is called. */
  readonly name: string
  /** The folder on the far side. */
  readonly folder: string
  /** Begins what a starter says. */
  readonly mark: string
  /** Opens a channel. */
  readonly open: Channels.Channels["open"]
  /** A number for a process. */
  readonly nextId: () => number
  /** Asks the keeper; true if it has done what it was asked. False once the connection is lost. */
  readonly ask: (
    verb: "store" | "signal" | "lingers" | "end",
    words: ReadonlyArray<string | number>,
    more?: Uint8Array,
  ) => Promise<boolean>
  /** True once nothing can be started any more. */
  readonly isLost: () => boolean
  /** Completes when it has ended, with the reason. */
  readonly ended: Promise<string>
  /** Ends everything on the far side, and the connection. */
  readonly close: () => Promise<unknown>
}

/** How long a login may take, and how long the end of ssh. */
const loginMillis = 60_000
const farewellMillis = 3_000

/** Opens a connection. Rejects with the words of ssh. */
export const open = async ({ master, name, silenceSeconds }: Destination): Promise<Link> => {
  const local = mkdtempSync(join(tmpdir(), "procwire-ssh-"))
  const path = join(local, "master")
  const mark = randomBytes(16).toString("hex")
  const script = FarScripts.keeperScript(`procwire-${randomBytes(8).toString("hex")}`, mark, silenceSeconds)
  const keeper = Keeper.start([...master(path), FarScripts.bootstrap], script, mark)
  let [isLost, count] = [false, 0]
  const later = (millis: number, why?: string) => setTimeout(() => keeper.kill(why), millis).unref()
  const login = later(loginMillis, `no shell has answered over there within ${loginMillis / 1_000} s`)
  try {
    const folder = await keeper.greeting
    const channels = await Channels.make(path, () => {
      isLost = true
      // ssh ends with its reason by itself.
      later(farewellMillis)
    })
    const stop = beat(keeper, silenceSeconds)
    void keeper.ended.then(() => {
      stop()
      channels.close()
    })
    return {
      name,
      folder,
      mark,
      open: channels.open,
      nextId: () => count++,
      ask: async (verb, words, more) => (await keeper.ask(verb, words.join(" "), more)) === "0",
      isLost: () => isLost || keeper.isOver(),
      ended: keeper.ended,
      close: () => {
        keeper.close()
        channels.close()
        return keeper.ended
      },
    }
  } catch (error) {
    keeper.kill()
    throw error
  } finally {
    clearTimeout(login)
    rmSync(local, { recursive: true, force: true })
  }
}

/** Shows that each side still hears the other. A silence is counted in beats, so a busy server is not taken for one. */
const beat = (keeper: Keeper.Keeper, silenceSeconds: number): (() => void) => {
  let unanswered = 0
  const timer = setInterval(
    () => {
      if (unanswered++ >= beatsInSilence) keeper.kill(`the far side was silent for ${silenceSeconds} s`)
      else
        void keeper.ask("beat").then(() => {
          unanswered = 0
        })
    },
    (silenceSeconds * 1_000) / beatsInSilence,
  ).unref()
  return () => clearInterval(timer)
}

const beatsInSilence = 3
