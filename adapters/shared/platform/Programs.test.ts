/** Whole programs over the services, unchanged here and there: what they print over ws is what they print in process. */
import * as Effect from "effect/Effect"
import { FileSystem } from "effect/FileSystem"
import { Path } from "effect/Path"
import { make, pipeTo } from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Stream from "effect/Stream"
import { afterAll, expect, it } from "vitest"
import { onEachServer } from "../testing/PlatformServices.ts"

/** Makes a repository with two commits, and reads its log. */
const history = Effect.gen(function* () {
  const fs = yield* FileSystem
  const path = yield* Path
  const spawner = yield* ChildProcessSpawner
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "history-" })
  const git = (...args: ReadonlyArray<string>) =>
    make("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
      env: { GIT_CONFIG_NOSYSTEM: "1", HOME: folder },
      extendEnv: true,
      cwd: folder,
    })
  yield* spawner.exitCode(git("init", "--quiet"))
  for (const [index, text] of ["one", "two"].entries()) {
    yield* fs.writeFileString(path.join(folder, "notes"), `${text}\n`.repeat(index + 1))
    yield* spawner.exitCode(git("add", "notes"))
    yield* spawner.exitCode(git("commit", "--quiet", "--message", text))
  }
  const log = yield* spawner.lines(git("log", "--reverse", "--format=%s", "--shortstat"))
  const missing = yield* Effect.flip(fs.readFile(path.join(folder, "none")))
  return [...log, missing.reason._tag, yield* fs.readFileString(path.join(folder, "notes"))]
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
  const counted = yield* make("cat", files).pipe(
    pipeTo(make("tr", [" ", "\n"])),
    pipeTo(make("sort")),
    pipeTo(make`uniq -c`),
  )
  yield* Stream.run(counted.stdout, fs.sink(path.join(folder, "result")))
  const names = (yield* fs.readDirectory(folder)).sort()
  return [names.join(), yield* fs.readFileString(path.join(folder, "result"))]
})

/** Talks with a process, kills it, and tells how everything ended. */
const talking = Effect.gen(function* () {
  const spawner = yield* ChildProcessSpawner
  const process = yield* make("cat")
  yield* Stream.run(Stream.encodeText(Stream.make("there ", "and back\n")), process.stdin)
  const said = yield* Stream.mkString(Stream.decodeText(process.stdout))
  const other = yield* make("sleep", ["1000"])
  yield* other.kill({ killSignal: "SIGKILL" })
  const killed = yield* Effect.flip(other.exitCode)
  const nothing = yield* Effect.flip(spawner.string(make("no-such-program")))
  const ends = [killed, nothing].map((error) => error.reason._tag)
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
