// @ts-check
// Faults of children of the operating system, and what confines them.
import { byCases, byTests, inFile } from "./fault.mjs"

export const children = [
  inFile("adapters/sandbox/LimitCgroups.ts")(
    "the cgroups of a server stay",
    "({ folder }) => CgroupPlaces.removeAll(folder, files)",
    "({ folder }) => void folder",
    byTests("adapters/shared/integration/SpawnerLimits.test.ts"),
  ),
  inFile("adapters/sandbox/Limits.ts")(
    "nobody learns that a limit has ended a process",
    "{ ...ending, ...overLimit(status, entry, time) }",
    "ending",
    byTests("adapters/shared/integration/SpawnerLimits.test.ts"),
  ),
  inFile("adapters/sandbox/NamedSpawners.ts")(
    "the last spawner is the outermost",
    "named.reduce<Layer.Layer<Spawner, SpawnerProblem>",
    "named.toReversed().reduce<Layer.Layer<Spawner, SpawnerProblem>",
    byTests("adapters/shared/integration/Spawners.test.ts"),
  ),
  inFile("adapters/sandbox/RemoteChild.ts")(
    "the last byte of each piece of a write is lost",
    "start, start + pieceBytes",
    "start, start + pieceBytes - 1",
    byTests("conformance/integration/BuiltInSpawners.test.ts"),
  ),
  inFile("adapters/sandbox/User.ts")(
    "setpriv obeys the loader's variables of a process",
    'env, argv: [...front, "--", "/usr/bin/env", ...setting, ...between, ...spec.argv]',
    'argv: [...front, "--", "/usr/bin/env", ...setting, ...between, ...spec.argv]',
    byTests("adapters/shared/integration/Spawners.test.ts"),
  ),
  inFile("adapters/sandbox/container/ContainerScripts.ts")(
    "a container outlives its server",
    "`[ $$ = 1 ] && kill -KILL -1`",
    "`sleep 1000`",
    byTests("adapters/shared/integration/Containers.test.ts"),
  ),
  inFile("adapters/sandbox/ssh/FarScripts.ts")(
    "a lost connection leaves those in sessions of their own on the far side",
    '`for each in $gone; do kill -KILL "$each"; done 2>/dev/null`',
    "`:`",
  ),
  inFile("adapters/sandbox/ssh/Process.ts")(
    "a start fails because the connection was lost before it",
    "!link.isLost()",
    "true",
    byTests("adapters/shared/integration/Ssh.test.ts"),
  ),
  inFile("adapters/shared/confine/Bubblewrap.ts")(
    "a spawner that confines gets nothing to confine",
    "if (inner.capabilities.confine) return floored(inner, floor)",
    "",
    byTests("adapters/sandbox/Bubblewrap.test.ts"),
  ),
  inFile("adapters/shared/confine/Mounts.ts")(
    "a folder above a guarded name is moved away with it",
    "[...places, ...anchors(places)]",
    "places",
    byTests("adapters/sandbox/Bubblewrap.test.ts"),
  ),
  inFile("adapters/shared/confine/OwnProgram.ts")(
    "a program without a package shows the whole system inside of a confinement",
    "own : packageOf(own, dirname(folder))",
    "folder : packageOf(own, dirname(folder))",
  ),
  inFile("adapters/shared/confine/Wrapped.ts")(
    "a place that is a link leads out of the floor",
    "(Floor.layersOf(confinement))",
    "([confinement])",
    byTests("adapters/shared/integration/Escapes.test.ts"),
  ),
  inFile("adapters/shared/host/HashRing.ts")(
    "bytes that are yet to be hashed are written over",
    "unread === 0 && origin !== written",
    "origin !== written",
  ),
  inFile("adapters/shared/host/Loopback.ts")(
    "the neighbours of loopback are loopback",
    'list.addSubnet("127.0.0.0", 8)',
    'list.addSubnet("126.0.0.0", 7)',
    byTests("adapters/shared/serve/Listening.test.ts"),
  ),
  inFile("adapters/shared/platform/RunningCommand.ts")(
    "a command runs when it has ended",
    "Effect.map(Deferred.isDone(done), (is) => !is)",
    "Deferred.isDone(done)",
  ),
  inFile("adapters/shared/process/ChildEvents.ts")(
    "output before the exit is not told",
    "!muted && open.has(stream)",
    "!muted && exited",
    byTests("adapters/shared/process/posix/PipeChild.test.ts", "adapters/shared/process/HostSpawner.test.ts"),
  ),
  inFile("adapters/shared/process/GroupAddress.ts")(
    "strangers who got the number of a group that died out are signalled",
    "members === undefined || present.some(({ pid, start }) => members?.get(pid) === start)",
    "true",
  ),
  inFile("adapters/shared/process/GroupReaper.ts")(
    "descendants in groups that were never told survive SIGKILL of the server",
    'descends ? ["", "", "descend"] : []',
    "[]",
  ),
  inFile("adapters/shared/process/ProcessGroup.ts")(
    "the end of a session leaves its processes running",
    'signal("SIGKILL"); forget()',
    "void signal; forget()",
    byTests("adapters/shared/process/posix/PipeChild.test.ts", "adapters/shared/process/HostSpawner.test.ts"),
  ),
  inFile("adapters/shared/process/ProcessTable.ts")(
    "now and then the time is before the start of a process that lives",
    'Math.round(Number.parseFloat(read("/proc/uptime") || "0") * 100)',
    'Math.floor(Number.parseFloat(read("/proc/uptime") || "0") * 100)',
  ),
  inFile("adapters/shared/process/ProgramPath.ts")(
    "programs are looked for in the server's PATH",
    'spec.env["PATH"]',
    'process.env["PATH"]',
  ),
  inFile("adapters/shared/process/ReaperShell.ts")(
    "a killed server takes only the leaders with it",
    '`kill -s KILL -- "-$1"`',
    '`kill -s KILL -- "$1"`',
    byTests("adapters/shared/process/GroupReaper.test.ts", "adapters/shared/integration/Orphans.test.ts"),
  ),
  inFile("adapters/shared/process/contain/CgroupTree.ts")(
    "no child is born in its cgroup",
    'write(`${leaf}/cgroup.threads`, "0")',
    "void leaf",
  ),
  inFile("adapters/shared/process/contain/PidNamespaces.ts")(
    "who has left the group of a killed process in a PID namespace lives on",
    "Effect.zipRight(child.kill, Effect.sync(keeper.kill))",
    "child.kill",
    byTests("adapters/shared/process/contain/Containment.test.ts"),
  ),
  inFile("adapters/shared/process/contain/ProcessTrees.ts")(
    "an orphan belongs to nobody",
    "for (const tree of ownersOf(orphan)) tree.members = new Map(tree.members).set(orphan.pid, orphan)",
    "for (const tree of []) tree.members = new Map(tree.members).set(orphan.pid, orphan)",
    byTests("adapters/shared/process/contain"),
  ),
  inFile("adapters/shared/process/evidence/LinuxEvidence.ts")(
    "a server that also reads its terminal asks for input",
    'targets.some((target) => target.startsWith("socket:"))',
    "targets.length === 0",
    byTests("adapters/shared/integration/WaitEvidence.test.ts"),
  ),
  inFile("adapters/shared/process/evidence/Sockets.ts")(
    "every address is reached",
    'if (bound === name || bound === "::") return true',
    "return true",
    byTests("adapters/shared/integration/WaitEvidence.test.ts"),
  ),
  inFile("adapters/shared/process/posix/ChildWatch.ts")(
    "a death by signal is an exit with 0",
    "signal = status & 0x7f",
    "signal = 0",
  ),
  inFile("adapters/shared/process/posix/Launch.ts")(
    "arg0 is ignored",
    "spec.arg0 ?? spec.argv[0]",
    "spec.argv[0]",
    byTests("adapters/shared/process/posix/PipeChild.test.ts", "adapters/shared/process/HostSpawner.test.ts"),
  ),
  inFile("adapters/shared/process/posix/Libc.ts")(
    "the cwd is ignored",
    "chdir(actions, NativePath.toCString(cwd))",
    "void cwd",
    byTests("adapters/shared/process/posix/PipeChild.test.ts", "adapters/shared/process/HostSpawner.test.ts"),
  ),
  inFile("adapters/shared/process/posix/PidFd.ts")(
    "signals reach the leader of a group only",
    "(-id, signal)",
    "(id, signal)",
    byTests("adapters/shared/process/posix/PipeChild.test.ts", "adapters/shared/process/HostSpawner.test.ts"),
  ),
  inFile("adapters/shared/process/posix/PipeChild.ts")(
    "a failed start leaks descriptors",
    "out.read, err.read, input?.write",
    "out.read",
    byTests("adapters/shared/process/posix/PipeChild.test.ts", "adapters/shared/process/HostSpawner.test.ts"),
  ),
  inFile("adapters/shared/process/posix/PtyDevice.ts")(
    "a terminal is as high as it should be wide",
    "rows, columns, 0",
    "columns, rows, 0",
    byCases("process/output/tty-size"),
  ),
  inFile("adapters/shared/process/posix/SocketDescriptors.ts")(
    "a terminal is read once and not until it is empty",
    "libc.read(master, buffer.subarray(filled))",
    "0",
    byCases("process/output/tty-nothing-lost-at-exit"),
  ),
]
