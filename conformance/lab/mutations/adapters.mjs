// @ts-check
// Mutations of adapters: what the operating system is asked for, and what sockets accept.
import { one } from "./mutation.mjs"

/** The spawner suite is played in the second. */
const children = [
  "adapters/shared/process/posix/PipeChild.test.ts",
  "adapters/shared/process/HostSpawner.test.ts",
]

export const adapters = [
  {
    ...one(
      "adapters/shared/cli/Otlp.ts",
      "      whole(Effect.timeoutFail",
      "      (Effect.timeoutFail",
      "spans are lost where a server ends while a batch is on its way",
    ),
    tests: ["adapters/shared/cli/Telemetry.test.ts"],
  },
  {
    ...one(
      "adapters/shared/cli/control/Past.ts",
      "if (left === 0) return",
      "if (left < 0) return",
      "logs -n of a process that prints on does not end",
    ),
    tests: ["adapters/shared/cli/control/Past.test.ts"],
  },
  {
    ...one(
      "adapters/shared/cli/control/Past.ts",
      "if (event.seq <= shown) continue",
      "if (event.seq < shown) continue",
      "logs -f shows twice what the history had before it",
    ),
    tests: ["adapters/shared/cli/control/Past.test.ts"],
  },
  {
    ...one(
      "adapters/shared/cli/words/Replay.ts",
      "if (!question.test(String.fromCharCode(...pending))) shown.push(...pending)",
      "shown.push(...pending)",
      "a replay asks the terminal what the process asked it once",
      "process/attach",
    ),
    tests: ["adapters/shared/cli/words/Words.test.ts"],
  },
  {
    ...one(
      "adapters/shared/process/posix/PidFd.ts",
      "if (led) return libc.kill(-id, signal)",
      "if (led) return libc.kill(id, signal)",
      "signals reach the leader of a group only",
      "process/terminate",
      "process/signal",
    ),
    tests: children,
  },
  {
    ...one(
      "adapters/shared/process/ProcessGroup.ts",
      '      signal("SIGKILL")',
      "      void signal",
      "the end of a session leaves its processes running",
      "lifecycle",
    ),
    tests: children,
  },
  {
    ...one(
      "adapters/shared/process/ReaperShell.ts",
      'kill -s KILL -- "-$1"',
      'kill -s KILL -- "$1"',
      "a killed server takes only the leaders with it",
      "lifecycle",
    ),
    tests: ["adapters/shared/process/GroupReaper.test.ts", "adapters/shared/integration/Orphans.test.ts"],
  },
  one(
    "adapters/shared/process/GroupReaper.ts",
    "if (known === sent.get(id)) continue",
    "continue",
    "nobody hears of the groups that exist",
    "lifecycle",
  ),
  one(
    "adapters/shared/process/GroupAddress.ts",
    "if (leader !== undefined) members = new Map()",
    "void leader",
    "a stranger who got the number of a group is signalled once its own leader has ended",
    "process/signal",
  ),
  {
    ...one(
      "adapters/shared/process/contain/CgroupTree.ts",
      'enter: (leaf: string) => write(`${leaf}/cgroup.threads`, "0")',
      "enter: (leaf: string) => void leaf",
      "no child is born in its cgroup",
      "lifecycle",
    ),
    tests: ["adapters/shared/process/contain"],
  },
  {
    ...one(
      "adapters/shared/process/contain/ProcessTrees.ts",
      "for (const tree of ownersOf(orphan)) tree.members",
      "for (const tree of []) tree.members",
      "an orphan belongs to nobody",
      "lifecycle",
    ),
    tests: ["adapters/shared/process/contain"],
  },
  {
    ...one(
      "adapters/shared/process/posix/PipeChild.ts",
      "for (const fd of [theirs.stdout, theirs.stderr, theirs.stdin]) {",
      "for (const fd of [theirs.stdout, theirs.stderr]) {",
      "the server keeps the child's end of stdin",
      "process/write",
    ),
    tests: children,
  },
  {
    ...one(
      "adapters/shared/process/posix/PipeChild.ts",
      "for (const fd of [out.read, err.read, input?.write]) if (fd !== undefined) libc.close(fd)",
      "for (const fd of [out.read]) if (fd !== undefined) libc.close(fd)",
      "a failed start leaks descriptors",
      "process/start",
    ),
    tests: children,
  },
  {
    ...one(
      "adapters/shared/process/posix/Libc.ts",
      "POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK",
      "POSIX_SPAWN_SETSIGMASK",
      "children lead no session of their own",
      "process/start/own-session-and-group",
    ),
    tests: children,
  },
  {
    ...one(
      "adapters/shared/process/posix/Libc.ts",
      'open(actions, 0, "/dev/null", O_RDONLY, 0)',
      "void open",
      "a child without stdin gets the server's",
      "process/start/stdin-is-empty",
    ),
    tests: children,
  },
  {
    ...one(
      "adapters/shared/process/posix/Libc.ts",
      "chdir(actions, NativePath.toCString(cwd))",
      "void cwd",
      "the cwd is ignored",
      "process/start/cwd-file-uri",
    ),
    tests: children,
  },
  {
    ...one(
      "adapters/shared/process/posix/Launch.ts",
      "[spec.arg0 ?? spec.argv[0],",
      "[spec.argv[0],",
      "arg0 is ignored",
      "process/start/arg0*",
    ),
    tests: children,
  },
  one(
    "adapters/shared/process/ProgramPath.ts",
    'spec.env["PATH"] ?? DEFAULT_PATH',
    'spec.env["PATH"] || DEFAULT_PATH',
    "an empty PATH is as none",
    "process/start/empty-path-is-the-cwd",
  ),
  one(
    "adapters/shared/process/ProgramPath.ts",
    "return entered === 0 ? found : new Errno(entered)",
    "return found.errno !== ENOENT || entered === 0 ? found : new Errno(entered)",
    "a name that is too long is told before the cwd",
    "process/start/cwd-is-told-before-a-long-name",
  ),
  one(
    "adapters/shared/process/posix/Libc.ts",
    "chdir(actions, NativePath.toCString(cwd))",
    "chdir(actions, new TextEncoder().encode(`${cwd}\\0`))",
    "bytes of a cwd that are not UTF-8 are lost",
    "process/start/cwd-of-any-bytes",
  ),
  one(
    "adapters/shared/process/ProgramPath.ts",
    'spec.env["PATH"] ?? DEFAULT_PATH',
    'process.env["PATH"] ?? DEFAULT_PATH',
    "programs are looked for in the server's PATH",
    "process/start/program-found-in-child-path",
  ),
  one(
    "adapters/shared/process/posix/ChildWatch.ts",
    "code: (status >> 8) & 0xff",
    "code: (status >> 8) & 0x7f",
    "exit codes have seven bits",
    "process/exit-code",
  ),
  one(
    "adapters/shared/process/posix/ChildWatch.ts",
    "const signal = status & 0x7f",
    "const signal = 0",
    "a death by signal is an exit with 0",
    "process/exit-code",
  ),
  one(
    "adapters/shared/process/posix/ChildWatch.ts",
    "pause = Math.min(pause * 2, POLL_MILLIS.longest)",
    "pause = POLL_MILLIS.first",
    "idle children are looked at every second",
  ),
  one(
    "adapters/shared/process/posix/SocketDescriptors.ts",
    "count = libc.read(master, buffer.subarray(filled))",
    "count = 0",
    "a terminal is read once and not until it is empty",
    "process/output/tty-nothing-lost-at-exit",
  ),
  one(
    "adapters/shared/process/posix/PtyDevice.ts",
    "Uint16Array.of(rows, columns, 0, 0)",
    "Uint16Array.of(columns, rows, 0, 0)",
    "a terminal is as high as it should be wide",
    "process/output/tty-size",
  ),
  {
    ...one(
      "core/spawn/SpecCheck.ts",
      'if (hasNul(name) || hasNul(env[name] ?? ""))',
      "if (hasNul(name))",
      "a variable may hold a NUL",
      "process/start/nul-bytes-refused",
    ),
  },
  {
    ...one(
      "adapters/shared/process/ChildEvents.ts",
      "if (!muted && open.has(stream)) events",
      "if (!muted && exited) events",
      "output before the exit is not told",
      "process/output/streams-and-exit-code",
    ),
    tests: children,
  },
  {
    ...one(
      "adapters/shared/transport/UpgradeAdmission.ts",
      'request.header("origin") !== undefined',
      'request.header("origin")',
      "an empty Origin is let in",
      "websocket/origin-refused",
    ),
    tests: ["adapters/shared/transport/WebSocketListener.test.ts"],
  },
  {
    ...one(
      "adapters/shared/transport/UpgradeAdmission.ts",
      'if (path === "/readyz") return',
      'if (path.startsWith("/readyz")) return',
      "other paths are ready, too",
      "websocket/other-paths-are-404",
    ),
    tests: ["adapters/shared/transport/WebSocketListener.test.ts"],
  },
  {
    ...one(
      "adapters/shared/transport/WebSocketFrames.ts",
      "maxFrameBytes = 16 * 1024 * 1024",
      "maxFrameBytes = 32 * 1024 * 1024",
      "frames may be twice as long",
      "limits",
    ),
    tests: ["adapters/shared/transport/FrameReader.test.ts"],
  },
  one(
    "adapters/shared/transport/FrameReader.ts",
    "key[(from + i) & 3]",
    "key[i]",
    "the second fragment of a message is unmasked from the wrong byte of its mask on",
  ),
  one(
    "adapters/shared/confine/OwnProgram.ts",
    'folder === "/" ? own :',
    'folder === "/" ? folder :',
    "a program without a package shows the whole system inside of a confinement",
  ),
  one(
    "adapters/shared/process/ProcessTable.ts",
    "Math.round(Number",
    "Math.floor(Number",
    "now and then the time is before the start of a process that lives",
  ),
  one(
    "adapters/shared/transport/OrderlyClose.ts",
    "idle = now < before ? 0 : idle + 1",
    "idle += 1",
    "a peer that takes its time loses the rest",
  ),
  one(
    "adapters/shared/transport/PeerWatch.ts",
    "timeoutMillis === 0 ? 30_000 : ",
    "timeoutMillis === 0 ? 1_800_000 : ",
    "idle connections are not kept alive",
  ),
  one(
    "adapters/shared/transport/PeerWatch.ts",
    "this.isHeard || paused || queued > 0",
    "this.isHeard || paused",
    "a client that reads slowly is taken for one that is gone",
  ),
  one(
    "adapters/shared/transport/WebSocketClient.ts",
    "{ binary: false, fin: isLast }",
    "{ binary: true, fin: isLast }",
    "bytes leave in a binary frame",
  ),
  one(
    "adapters/shared/transport/PeerWatch.ts",
    "if (now - this.quietSince >= patience)",
    "if (false)",
    "a client that is gone is never noticed",
  ),
  one(
    "adapters/shared/transport/SendQueue.ts",
    "if (!accepted && (!counts || output.writableLength >= highWaterMark)) stalled",
    "if (false) stalled",
    "a peer that does not read slows nobody down",
    "process/output/slow-client-stalls-the-process",
  ),
  one(
    "adapters/shared/transport/SendQueue.ts",
    "    unwritten.push(part)\n    return output.write(part, written)",
    "    queueMicrotask(() => giveBack(part))\n    return output.write(part)",
    "the memory of a message is used again while it waits",
    "process/output/slow-client-stalls-the-process",
  ),
  {
    ...one(
      "adapters/shared/transport/LineTransport.ts",
      "else if (!room) input.pause()",
      "else void room",
      "everything is read, whether anybody takes it or not",
    ),
    tests: ["adapters/shared/transport/StdioTransport.test.ts"],
  },
  {
    ...one(
      "adapters/shared/serve/RenewableFiles.ts",
      "        current = next\n",
      "",
      "the first token is good for ever",
    ),
    tests: ["adapters/shared/integration/Renewal.test.ts"],
  },
  {
    ...one(
      "adapters/shared/transport/Tls.ts",
      "server.setSecureContext(serverOptions(renewed))",
      "void renewed",
      "listeners keep their first certificate",
    ),
    tests: ["adapters/shared/integration/Renewal.test.ts"],
  },
  one(
    "adapters/shared/systemd/Environment.ts",
    "    delete env[name]\n",
    "",
    "children inherit the variables that systemd has set for the server",
  ),
  {
    ...one(
      "adapters/shared/cli/ServeCommand.ts",
      "      yield* service.ready(server.addresses)\n",
      "",
      "systemd never learns that the server is ready",
    ),
    tests: ["adapters/shared/integration/Systemd.test.ts"],
  },
  {
    ...one(
      "adapters/sandbox/NamedSpawners.ts",
      "named.reduce<",
      "named.toReversed().reduce<",
      "the last spawner is the outermost",
    ),
    tests: ["adapters/shared/integration/Spawners.test.ts"],
  },
  {
    ...one(
      "adapters/sandbox/User.ts",
      "return { ...spec, env, argv:",
      "return { ...spec, argv:",
      "setpriv obeys the loader's variables of a process",
    ),
    tests: ["adapters/shared/integration/Spawners.test.ts"],
  },
  {
    ...one(
      "adapters/shared/confine/Bubblewrap.ts",
      "Effect.zipRight(waited, child.signal(name))",
      "child.signal(name)",
      "a signal to a child that is not inside of bubblewrap yet is lost",
    ),
    tests: ["adapters/sandbox/Bubblewrap.test.ts"],
  },
  {
    ...one(
      "adapters/sandbox/ssh/FarScripts.ts",
      'for each in $gone; do kill -KILL "$each"; done 2>/dev/null',
      ":",
      "a lost connection leaves those in sessions of their own on the far side",
    ),
    tests: ["adapters/sandbox/ssh/FarScripts.test.ts"],
  },
  {
    ...one(
      "adapters/sandbox/ssh/FarScripts.ts",
      '[ "$at" = 0 ] || [ "$at" = "$2" ]',
      ":",
      "the keeper of the far side signals a stranger with the number of a process",
    ),
    tests: ["adapters/sandbox/ssh/FarScripts.test.ts"],
  },
  {
    ...one(
      "adapters/sandbox/ssh/Process.ts",
      "if (!link.isLost()) throw error",
      "if (true) throw error",
      "a start fails because the connection was lost before it",
    ),
    tests: ["adapters/shared/integration/Ssh.test.ts"],
  },
  {
    ...one(
      "adapters/sandbox/RemoteChild.ts",
      "const pieceBytes = 16 * 1024",
      "const pieceBytes = 256 * 1024",
      "a write to a process of another procwire waits for nothing below 32 MiB",
    ),
    tests: ["conformance/integration/BuiltInSpawners.test.ts"],
  },
  {
    ...one(
      "adapters/sandbox/Limits.ts",
      "{ ...ending, ...overLimit(status, entry, time) }",
      "ending",
      "nobody learns that a limit has ended a process",
    ),
    tests: ["adapters/shared/integration/SpawnerLimits.test.ts"],
  },
  {
    ...one(
      "adapters/sandbox/LimitCgroups.ts",
      "CgroupPlaces.removeAll(folder, files)",
      "void folder",
      "the cgroups of a server stay",
    ),
    tests: ["adapters/shared/integration/SpawnerLimits.test.ts"],
  },
  {
    ...one(
      "adapters/shared/doctor/RuntimeChecks.ts",
      'argv: ["/bin/sh", "-c", "test -t 0 && test -t 1 && test -t 2"]',
      'argv: ["/bin/sh", "-c", "exit 1"]',
      "procwire doctor says no to a PTY that works",
    ),
    tests: ["adapters/shared/integration/Doctor.test.ts"],
  },
  {
    ...one(
      "adapters/shared/cli/DoctorCommand.ts",
      "    return 1\n",
      "    return 0\n",
      "what is required need not work",
    ),
    tests: ["adapters/shared/integration/Doctor.test.ts"],
  },
  {
    ...one(
      "adapters/shared/cli/SpawnerFlag.ts",
      "{ contain, mayAdopt: true }",
      '{ contain: "none", mayAdopt: true }',
      "procwire run leaves daemons behind",
    ),
    tests: ["adapters/shared/integration/ContainInProcess.test.ts"],
  },
  {
    ...one(
      "adapters/shared/process/contain/PidNamespaces.ts",
      "kill: Effect.zipRight(child.kill, Effect.sync(keeper.kill)),",
      "kill: child.kill,",
      "who has left the group of a killed process in a PID namespace lives on",
    ),
    tests: ["adapters/shared/process/contain/Containment.test.ts"],
  },
  {
    ...one(
      "adapters/shared/process/GroupReaper.ts",
      'descends ? ["", "", "descend"] : []',
      "[]",
      "descendants in groups that were never told survive SIGKILL of the server",
    ),
    tests: ["adapters/shared/process/GroupReaper.test.ts"],
  },
  {
    ...one(
      "adapters/shared/serve/ChosenSpawner.ts",
      "elsewhere ? Layer.orDie(platform.toSpawner()) : platform.layerSpawner",
      "platform.layerSpawner",
      "the containment kills the monitor of a container, which stays then",
    ),
    tests: ["adapters/shared/integration/Containers.test.ts"],
  },
  {
    ...one(
      "adapters/sandbox/container/ContainerScripts.ts",
      "[ $$ = 1 ] && kill -KILL -1",
      "sleep 1000",
      "a container outlives its server",
    ),
    tests: ["adapters/shared/integration/Containers.test.ts"],
  },
  {
    ...one(
      "adapters/sandbox/container/ContainerScripts.ts",
      '[ "$verb" = terminated ] && how=signaled',
      '[ "$status" -gt 128 ] && how=signaled',
      "an exit code above 128 is told as a signal",
    ),
    tests: ["adapters/shared/integration/Containers.test.ts"],
  },
  {
    ...one(
      "adapters/shared/serve/HistoryDir.ts",
      "if (historyDir === undefined) return Effect.void",
      "if (historyDir !== null) return Effect.void",
      "a server starts with a folder for histories that cannot be written",
    ),
    tests: ["adapters/shared/integration/History.test.ts"],
  },
  {
    ...one(
      "core/spawn/PlainHandle.ts",
      "child.write?.(bytes.slice())",
      "child.write?.(bytes)",
      "a plain spawner that keeps what it is to write finds other bytes in it",
    ),
    tests: ["core/spawn/PlainSpawner.test.ts"],
  },
  {
    ...one(
      "adapters/shared/cli/CodeCache.ts",
      "uid === process.geteuid?.() && (mode & 0o022) === 0",
      "uid === process.geteuid?.()",
      "code that others may have written is run",
    ),
    tests: ["adapters/shared/cli/KeptProgram.test.ts"],
  },
  one(
    "adapters/shared/host/HashRing.ts",
    "if (unread === 0 && origin !== written)",
    "if (origin !== written)",
    "bytes that are yet to be hashed are written over",
    "process/receipt",
  ),
  one(
    "adapters/shared/platform/RunningCommand.ts",
    "yield* Effect.addFinalizer(() => Effect.whenEffect(end(client, process, exited), isRunning(done)))",
    "void end",
    "the end of a scope does not wait for its command",
  ),
]
