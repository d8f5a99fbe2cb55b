/** Whole programs over the services, unchanged here and there: what they print over ws is what they print in process. */
import * as Command from "@effect/platform/Command"
import { FileSystem } from "@effect/platform/FileSystem"
import { Path } from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { afterAll, expect, it } from "vitest"
import { onEachServer } from "./testing/Services.ts"

/** Makes a repository with two commits, and reads its log. */
const history = Effect.gen(function* () {
  const fs = yield* FileSystem
  const path = yield* Path
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "history-" })
  const git = (...args: ReadonlyArray<string>) =>
    Command.make("git", "-c", "user.name=A", "-c", "user.email=a@example.org", ...args).pipe(
      Command.env({ GIT_CONFIG_NOSYSTEM: "1", HOME: folder }),
      Command.workingDirectory(folder),
    )
  yield* Command.exitCode(git("init", "--quiet"))
  for (const [index, text] of ["one", "two"].entries()) {
    yield* fs.writeFileString(path.join(folder, "notes"), `${text}\n`.repeat(index + 1))
    yield* Command.exitCode(git("add", "notes"))
    yield* Command.exitCode(git("commit", "--quiet", "--message", text))
  }
  const log = yield* Command.lines(git("log", "--reverse", "--format=%s", "--shortstat"))
  const missing = yield* Effect.flip(fs.readFile(path.join(folder, "none")))
  const reason = missing._tag === "SystemError" ? missing.reason : missing._tag
  return [...log, reason, yield* fs.readFileString(path.join(folder, "notes"))]
})

/** Counts the words of generated files through a pipeline, and writes what it finds. */
const counting = Effect.gen(function* () {
  const fs = yield* FileSystem
  const path = yield* Path
  const folder = yield* fs.makeTempDirectoryScoped()
  const files = ["a", "b", "c"].map((name) => path.join(folder, `${name}.txt`))
  yield* Effect.forEach(files, (file, index) => fs.writeFileString(file, "word other\n".repeat(index + 1)), {
    concurrency: "unbounded",
  })
  const counted = Command.make("cat", ...files).pipe(
    Command.pipeTo(Command.make("tr", " ", "\n")),
    Command.pipeTo(Command.make("sort")),
    Command.pipeTo(Command.make("uniq", "-c")),
  )
  yield* Stream.run(Command.stream(counted), fs.sink(path.join(folder, "result")))
  const names = (yield* fs.readDirectory(folder)).sort()
  return [names.join(), yield* fs.readFileString(path.join(folder, "result"))]
})

/** Talks with a process, kills it, and tells how everything ended. */
const talking = Effect.gen(function* () {
  const process = yield* Command.start(Command.make("cat"))
  yield* Stream.run(Stream.encodeText(Stream.make("there ", "and back\n")), process.stdin)
  const said = yield* Stream.mkString(Stream.decodeText(process.stdout))
  const other = yield* Command.start(Command.make("sleep", "1000"))
  yield* other.kill("SIGKILL")
  const killed = yield* Effect.flip(other.exitCode)
  const nothing = yield* Effect.flip(Command.string(Command.make("no-such-program")))
  const ends = [killed, nothing].map((error) => (error._tag === "SystemError" ? error.reason : error._tag))
  return [said, yield* process.exitCode, yield* other.isRunning, ...ends]
})

const printed: Array<ReadonlyArray<unknown>> = []

onEachServer("Programs", (run) => {
  it("print the same lines", async () => {
    const all = [...(await run(history)), ...(await run(counting)), ...(await run(talking))]
    expect(all).toEqual([
      "one",
      "",
      " 1 file changed, 1 insertion(+)",
      "two",
      "",
      " 1 file changed, 2 insertions(+), 1 deletion(-)",
      "NotFound",
      "two\ntwo\n",
      "a.txt,b.txt,c.txt,result",
      "      6 other\n      6 word\n",
      "there and back\n",
      0,
      false,
      "Unknown",
      "NotFound",
    ])
    printed.push(all)
  })
})

afterAll(() => expect(printed[0]).toEqual(printed[1]))
