/**
 * Cases about pause: the spawner stops reading, so the child blocks. Other children do the same work without a pause
 * meanwhile; in that time a pause without effect would show.
 */
import * as Check from "../../suite/Check.ts"
import { table, type SpawnerContext } from "../SpawnerContext.ts"
import { sh } from "../SpawnedChild.ts"

/** More than any pipe or terminal holds. */
const TOTAL = 4_194_304
/** Bytes that may still arrive: what was already read from a pipe. */
const ALREADY_READ = 131_072

/** A script that waits for the file `go`, creates another one, and prints. */
const script = (t: SpawnerContext, begun: string, raw = "") =>
  `${raw}${t.waitFor("go")}; : >'${t.folder}/${begun}'; exec head -c ${TOTAL} /dev/zero`

const discard = { onOutput: () => {} }

/** Lets the paused child print while five others run from start to end. */
const go = async (t: SpawnerContext, pty: boolean): Promise<void> => {
  t.put("go")
  await t.until(() => t.has("begun"), "the child to begin printing")
  const raw = pty ? "stty -opost; " : ""
  for (let i = 0; i < 5; i++) await t.run({ argv: sh(script(t, "control", raw)), pty, ...discard })
  await t.others()
}

/** A child is paused before it prints 4 MiB; five others print them meanwhile. */
const stops = async (t: SpawnerContext, pty: boolean): Promise<void> => {
  const raw = pty ? "stty -opost; " : ""
  const child = await t.start({ argv: sh(script(t, "begun", raw)), pty, ...discard })
  child.pause()
  child.pause()
  await go(t, pty)
  Check.isTrue(child.count <= ALREADY_READ, `${child.count} bytes arrived while the child was paused`)
  Check.isTrue(
    child.status === undefined,
    "the child has written 4 MiB although nobody reads them, and exited",
  )
  child.resume()
  child.resume()
  await child.finished()
  Check.equal(child.count, TOTAL, "bytes in the end")
}

/** A child is paused by its own first output, three times over. */
const stopsWithin = async (t: SpawnerContext, pty: boolean): Promise<void> => {
  const raw = pty ? "stty -opost; " : ""
  const child = await t.start({
    argv: sh(script(t, "begun", raw)),
    pty,
    onOutput: () => child.pause(),
  })
  t.put("go")
  for (let i = 0; i < 3; i++) {
    const before = child.count
    await child.until(() => child.count > before, "output after resume")
    await t.run({ argv: sh(script(t, "control", raw)), pty, ...discard })
    const more = child.count - before
    Check.isTrue(more <= 2 * ALREADY_READ, `${more} bytes arrived after a pause from within the output`)
    child.resume()
  }
  Check.isTrue(child.status === undefined, "the child has exited although it is paused")
}

/** A paused child prints its last words and exits. */
const exits = async (t: SpawnerContext, pty: boolean): Promise<void> => {
  const child = await t.start({ argv: sh(`${t.waitFor("go")}; echo last words`), pty })
  child.pause()
  t.put("go")
  await child.exit()
  await t.others()
  Check.equal(child.count, 0, "bytes that arrived while the child was paused")
  child.resume()
  await child.finished()
  Check.equal(child.text(), `last words${pty ? "\r" : ""}\n`, "the output")
}

export const pause = table("spawner/pause", {
  "stops-the-child": {
    requires: ["pause"],
    says: `A paused pipe child that prints 4 MiB blocks: at most what was read arrives, and it does not
      exit; after resume every byte arrives.`,
    run: (t) => stops(t, false),
  },
  "stops-the-child-on-a-pty": {
    requires: ["pause", "pty"],
    says: "A paused child on a PTY that prints 4 MiB blocks, and after resume every byte arrives.",
    run: (t) => stops(t, true),
  },
  "from-within-the-output": {
    requires: ["pause"],
    says: "A pause called in the output event of a pipe child stops it soon after.",
    run: (t) => stopsWithin(t, false),
  },
  "from-within-the-output-on-a-pty": {
    requires: ["pause", "pty"],
    says: "A pause called in the output event of a child on a PTY stops it soon after.",
    run: (t) => stopsWithin(t, true),
  },
  "exit-is-told": {
    requires: ["pause"],
    says: "The exit of a paused pipe child is reported; its last output arrives after resume.",
    run: (t) => exits(t, false),
  },
  "exit-is-told-on-a-pty": {
    requires: ["pause", "pty"],
    says: "The exit of a paused child on a PTY is reported; its last output arrives after resume.",
    run: (t) => exits(t, true),
  },
  "outlasts-the-exit": {
    requires: ["pause", "processGroup"],
    says: `A pause outlasts the exit: a descendant that prints 4 MiB then blocks, and every byte of it
      arrives after resume.`,
    run: async (t) => {
      const child = await t.start({ argv: sh(`(${script(t, "begun")}) & exit 0`), ...discard })
      child.pause()
      await child.exit()
      await go(t, false)
      Check.isTrue(child.count <= ALREADY_READ, `${child.count} bytes arrived while the child was paused`)
      Check.equal([...child.ended], [], "streams that have ended")
      child.resume()
      await child.finished()
      Check.equal(child.count, TOTAL, "bytes in the end")
    },
  },
  "others-go-on": {
    requires: ["pause"],
    says: "A paused child does not stop the others.",
    run: async (t) => {
      const child = await t.start({ argv: ["yes"], ...discard })
      child.pause()
      const other = await t.run({ argv: sh("seq 1 50000") })
      Check.equal(other.count, 288_894, "the bytes of the other child")
    },
  },
  "ends-with-the-scope": {
    requires: ["pause"],
    says: "The scope of a paused child that is blocked closes like any other, and nothing arrives after it.",
    run: async (t) => {
      const child = await t.start({ argv: ["yes"], ...discard })
      await child.until(() => child.count > 0, "output")
      child.pause()
      await child.close()
      child.resume()
      await t.others()
    },
  },
})
