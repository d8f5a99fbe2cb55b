/** Cases about refused children: the reason, the text, and that nothing leaks. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as SpawnError from "../../../core/spawn/SpawnError.ts"
import * as Check from "../../suite/Check.ts"
import { table, type SpawnerContext } from "../SpawnerContext.ts"
import type { ChildOptions } from "../SpawnedChild.ts"
import * as HostProcess from "../HostProcess.ts"

const missing = SpawnError.notFound()
const denied = SpawnError.permissionDenied()
const noDirectory = SpawnError.notADirectory()

/** The child must be refused with this reason and text, on pipes and, where there are PTYs, on a PTY. */
const refused = async (
  t: SpawnerContext,
  options: ChildOptions,
  wanted: SpawnError.SpawnError,
  onPty = wanted,
): Promise<void> => {
  const what = JSON.stringify(options).slice(0, 120)
  const error = await t.refused(options)
  Check.equal([error.reason, error.message], [wanted.reason, wanted.message], what)
  if (!t.capabilities.pty) return
  const same = await t.refused({ ...options, pty: true })
  Check.equal([same.reason, same.message], [onPty.reason, onPty.message], `${what} on a PTY`)
}

/** A NUL byte in this place of the spec. */
const nul = (t: SpawnerContext, options: ChildOptions, place: "argv" | "cwd" | "env"): Promise<void> =>
  refused(t, options, SpawnError.nulByte(place))

export const errors = table("spawner/errors", {
  "program-missing": {
    says: "A program that does not exist, by path or by name, is refused: NotFound, the text of ENOENT.",
    run: async (t) => {
      await refused(t, { argv: ["/no/such/program"] }, missing)
      await refused(t, { argv: ["procwire-no-such-program"] }, missing)
      await refused(t, { argv: ["./program"], cwd: t.folder }, missing)
      await refused(t, { argv: ["/etc/passwd/x"] }, noDirectory)
    },
  },
  "directory-missing": {
    says: "A directory that does not exist is refused: NotFound, the text of ENOENT.",
    run: (t) => refused(t, { argv: ["/bin/sh"], cwd: join(t.folder, "none") }, missing),
  },
  "directory-is-a-file": {
    says: `A file as the directory is refused: NotADirectory, the text of ENOTDIR; also for a program name
      that is not found.`,
    run: async (t) => {
      t.put("file")
      const cwd = join(t.folder, "file")
      await refused(t, { argv: ["/bin/sh"], cwd }, noDirectory)
      await refused(t, { argv: ["procwire-no-such-program"], cwd }, noDirectory)
    },
  },
  "program-is-a-directory": {
    says: "A directory as the program is refused: PermissionDenied, the text of EACCES.",
    run: (t) => refused(t, { argv: [t.folder] }, denied),
  },
  "program-not-executable": {
    says: "A file that may not be executed is refused, by path and by name: PermissionDenied, the text of EACCES.",
    run: async (t) => {
      writeFileSync(join(t.folder, "plain"), "#!/bin/sh\n", { mode: 0o644 })
      await refused(t, { argv: [join(t.folder, "plain")] }, denied)
      const env = { PATH: `${t.folder}:/nowhere` }
      await refused(t, { argv: ["plain"], env }, denied)
    },
  },
  "program-of-no-format": {
    level: "should",
    says: `An executable file of no known format is refused and not given to a shell: NotExecutable, the
      text of ENOEXEC.`,
    run: (t) => {
      writeFileSync(join(t.folder, "script"), "echo never\n", { mode: 0o755 })
      return refused(t, { argv: [join(t.folder, "script")] }, SpawnError.notExecutable())
    },
  },
  "nul-bytes": {
    says: `A NUL byte in an argument, the directory or the environment is refused: InvalidArgument, and the
      texts of the peer.`,
    run: async (t) => {
      await nul(t, { argv: ["/bin/echo", "a\0b"] }, "argv")
      await nul(t, { argv: ["/bin/echo\0"] }, "argv")
      await nul(t, { argv: ["/bin/echo"], cwd: "/\0" }, "cwd")
      await nul(t, { argv: ["/bin/echo"], env: { A: "\0" } }, "env")
      await nul(t, { argv: ["/bin/echo"], env: { "A\0": "" } }, "env")
    },
  },
  "program-empty": {
    says: `An empty program name is refused: InvalidArgument, and the text of the peer, which names pipes or
      the PTY.`,
    run: (t) =>
      refused(t, { argv: [""] }, SpawnError.missingProgram("pipe"), SpawnError.missingProgram("pty")),
  },
  "arguments-too-long": {
    level: "should",
    says: "More arguments than the system takes are refused: ResourceLimit, the text of E2BIG.",
    run: (t) => refused(t, { argv: ["/bin/echo", "x".repeat(4_000_000)] }, SpawnError.argumentsTooLong()),
  },
  "nothing-is-left": {
    alone: true,
    requires: ["procfs"],
    says: "100 refused children, half of them on PTYs where there are any, leave no descriptor, process or zombie.",
    run: async (t) => {
      await t.others(1)
      await t.refused({ argv: ["/no/such/program"] })
      const [descriptors, children] = [HostProcess.descriptors(), HostProcess.childCount()]
      for (let i = 0; i < 50; i++) {
        await t.refused({ argv: ["/no/such/program"], stdin: t.capabilities.pipeStdin })
        await t.refused({ argv: ["true"], cwd: "/no/such/directory", pty: t.capabilities.pty })
      }
      await t.until(() => HostProcess.descriptors() <= descriptors + 5, "no descriptor to be left")
      await t.until(() => HostProcess.childCount() <= children + 5, "no process to be left")
    },
  },
  "spawner-goes-on": {
    says: "After refused children the next one starts as usual.",
    run: async (t) => {
      await t.refused({ argv: ["/no/such/program"] })
      const child = await t.run({ argv: ["/bin/echo", "fine"] })
      Check.equal(child.text(), "fine\n", "stdout")
    },
  },
})
