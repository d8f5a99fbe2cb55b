/** Cases about output: every byte, in order, on the right stream, none lost at the exit. */
import * as Check from "../../suite/Check.ts"
import { table, type SpawnerContext } from "../SpawnerContext.ts"
import { sh } from "../SpawnedChild.ts"

/** A script that prints every byte once. */
const bytes = Array.from({ length: 256 }, (_, byte) => byte)
const everyByte = `printf '${bytes.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}'`
const allBytes = Buffer.from(bytes)
const lines = (count: number): string => Array.from({ length: count }, (_, i) => `${i + 1}\n`).join("")

const LOST_RUNS = 500
const AT_ONCE = 8

/** A descendant in another session goes on printing after the child has exited. */
const givenUp = async (t: SpawnerContext, pty: boolean): Promise<void> => {
  const chatter = `while [ -d '${t.folder}' ]; do echo x; sleep 0.01; done`
  const script = `trap '' PIPE HUP; setsid /bin/sh -c "$1" & echo up; exit 0`
  const child = await t.start({ argv: sh(script, chatter), pty })
  await child.exit()
  await child.until(() => child.count > 6, "output of the other session")
  await child.effect(child.handle.abandonOutput, "abandonOutput")
  const streams = pty ? ["pty"] : ["stderr", "stdout"]
  Check.equal([...child.ended].sort(), streams, "the streams that have ended")
  await child.effect(child.handle.abandonOutput, "abandonOutput once more")
  await t.others()
}

export const output = table("spawner/output", {
  "every-byte-exact": {
    says: `A pipe child that prints all 256 bytes on stdout and others on stderr is reported byte for byte,
      each stream on its own.`,
    run: async (t) => {
      const child = await t.run({ argv: sh(`${everyByte}; printf '\\377err' >&2`) })
      Check.isTrue(child.bytes("stdout").equals(allBytes), `stdout is not the 256 bytes: ${child.evidence()}`)
      const err = child.bytes("stderr").toString("latin1")
      Check.equal(err, "\u00fferr", "stderr")
    },
  },
  "every-byte-exact-on-a-pty": {
    requires: ["pty"],
    says: "A child on a PTY without output processing that prints all 256 bytes is reported byte for byte.",
    run: async (t) => {
      const child = await t.run({ argv: sh(`stty -opost; ${everyByte}`), pty: true })
      Check.isTrue(
        child.bytes("pty").equals(allBytes),
        `the PTY did not give the 256 bytes: ${child.evidence()}`,
      )
    },
  },
  "in-order": {
    says: "Two long counts on stdout and stderr at the same time each arrive whole and in order.",
    run: async (t) => {
      const child = await t.run({ argv: sh("seq 1 100000 & seq 1 100000 >&2; wait") })
      for (const stream of ["stdout", "stderr"] as const) {
        Check.isTrue(
          child.text(stream) === lines(100_000),
          `${stream} is not 1 to 100000: ${child.evidence()}`,
        )
      }
    },
  },
  "children-do-not-mix": {
    says: `Four children that print 1 MiB of one letter each at the same time are each reported without
      bytes of the others.`,
    run: async (t) => {
      const letters = ["a", "b", "c", "d"]
      const script = "head -c 1048576 /dev/zero | tr '\\0' \"$1\""
      const children = await Promise.all(letters.map((letter) => t.run({ argv: sh(script, letter) })))
      for (const [i, child] of children.entries()) {
        const wanted = Buffer.alloc(1_048_576, letters[i])
        Check.isTrue(child.bytes("stdout").equals(wanted), `not 1 MiB of ${letters[i]}: ${child.evidence()}`)
      }
    },
  },
  "no-byte-lost-at-exit": {
    says: `A pipe child that prints 64 KiB and 1000 bytes on stderr and exits at once is reported whole, in
      each of 500 runs.`,
    run: async (t) => {
      let lost = 0
      await t.times(LOST_RUNS, AT_ONCE, async () => {
        const child = await t.run({ argv: sh("head -c 65536 /dev/zero; head -c 1000 /dev/zero >&2") })
        if (child.bytes("stdout").length !== 65_536 || child.bytes("stderr").length !== 1_000) lost++
      })
      Check.equal(lost, 0, `runs of ${LOST_RUNS} that lost bytes`)
    },
  },
  "no-byte-lost-at-exit-on-a-pty": {
    requires: ["pty"],
    says: "A child on a PTY that prints 64 KiB and exits at once is reported whole, in each of 500 runs.",
    run: async (t) => {
      let lost = 0
      await t.times(LOST_RUNS, AT_ONCE, async () => {
        const child = await t.run({ argv: ["head", "-c", "65536", "/dev/zero"], pty: true })
        if (child.bytes("pty").length !== 65_536) lost++
      })
      Check.equal(lost, 0, `runs of ${LOST_RUNS} that lost bytes`)
    },
  },
  "closed-early-by-the-child": {
    says: "A child that closes its stdout and goes on printing on stderr ends only stdout.",
    run: async (t) => {
      const script = `echo out; exec >&-; ${t.waitFor("go")}; echo err >&2`
      const child = await t.start({ argv: sh(script) })
      await child.until(() => child.ended.has("stdout"), "the end of stdout")
      Check.equal(child.status === undefined, true, "the child still runs")
      Check.equal(child.ended.has("stderr"), false, "stderr has ended")
      t.put("go")
      await child.finished()
      Check.equal([child.text("stdout"), child.text("stderr")], ["out\n", "err\n"], "stdout and stderr")
    },
  },
  "of-a-descendant-arrives": {
    says: `What a descendant prints after its parent has exited still arrives, and the streams end after it,
      not before.`,
    run: async (t) => {
      const child = await t.start({ argv: sh(`(${t.waitFor("go")}; echo late) & echo early; exit 3`) })
      await child.exit()
      Check.equal([...child.ended], [], "streams that ended although a descendant holds them")
      t.put("go")
      await child.finished()
      Check.equal(child.text(), "early\nlate\n", "stdout")
    },
  },
  "of-a-descendant-arrives-on-a-pty": {
    requires: ["pty"],
    says: "What a descendant prints on the terminal after its parent has exited still arrives, in each of 40 runs.",
    run: async (t) => {
      let lost = 0
      await t.times(40, AT_ONCE, async () => {
        const script = "trap '' HUP; (sleep 0.05; head -c 65536 /dev/zero) & exit 3"
        const child = await t.run({ argv: sh(script), pty: true })
        if (child.bytes("pty").length !== 65_536) lost++
      })
      Check.equal(lost, 0, "runs of 40 that lost bytes")
    },
  },
  "reopened-by-the-child": {
    level: "should",
    says: "A child can reopen /dev/stdout and /dev/stderr, as it can with real pipes.",
    run: async (t) => {
      const child = await t.run({ argv: sh("echo out >/dev/stdout; echo err >/dev/stderr") })
      Check.equal([child.text("stdout"), child.text("stderr")], ["out\n", "err\n"], "stdout and stderr")
    },
  },
  "given-up": {
    says: `abandonOutput ends every open stream at once, though a process in another session holds them, and
      no output is reported after it.`,
    run: (t) => givenUp(t, false),
  },
  "given-up-on-a-pty": {
    requires: ["pty"],
    says: `abandonOutput ends the terminal's stream at once, though a process in another session holds it,
      and no output is reported after it.`,
    run: (t) => givenUp(t, true),
  },
})
