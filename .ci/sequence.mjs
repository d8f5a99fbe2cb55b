// @ts-check
// The order of test files. Those that take longest begin first, so that none of them is left for the end, alone on its
// core. Files that share workers follow each other, because a worker goes on only with the next file in line.
import { relative } from "node:path"
import { BaseSequencer } from "vitest/node"

/** @import { TestSpecification } from "vitest/node" */

/** Files that take ten seconds or more, longest first. Who is missing here only begins later. */
const longest = [
  "conformance/integration/BrokenServers.test.ts",
  "conformance/lab/simulation/Simulation.test.ts",
  "conformance/integration/BuiltInSpawners.test.ts",
  "conformance/lab/proof/Proof.test.ts",
  "adapters/shared/integration/RunSignals.test.ts",
  "conformance/command/Unanswered.test.ts",
  "conformance/lab/simulation/Fixed.test.ts",
  "adapters/shared/fleet/Fleet.test.ts",
  "adapters/shared/integration/Control.test.ts",
  "adapters/shared/integration/Idle.test.ts",
  "adapters/shared/integration/AgentWaits.test.ts",
  "adapters/shared/integration/WaitEvidence.test.ts",
  "adapters/shared/integration/Copy.test.ts",
  "adapters/shared/integration/Hosts.test.ts",
  "conformance/integration/ReadmeSpawners.test.ts",
  "adapters/shared/cli/KeptProgram.test.ts",
  "adapters/shared/integration/Escapes.test.ts",
  "adapters/shared/cli/McpEnd.test.ts",
  "adapters/shared/integration/OwnServer.test.ts",
  "conformance/integration/Package.test.ts",
  "conformance/lab/bench/Bench.test.ts",
  "adapters/shared/integration/HalfOpen.test.ts",
  "conformance/command/Command.test.ts",
  "adapters/shared/integration/WrongUse.test.ts",
  "adapters/shared/cli/Shutdown.test.ts",
  "conformance/integration/Clients.test.ts",
  "adapters/shared/process/HostSpawner.test.ts",
  "adapters/shared/process/PortableSpawner.test.ts",
  "core/integration/LostConnections.test.ts",
  "core/simulation/Simulation.test.ts",
  "conformance/integration/OwnServer.test.ts",
  "adapters/shared/integration/SocketSuite.test.ts",
  "adapters/shared/integration/Ssh.test.ts",
  "adapters/shared/process/posix/ChildWatch.test.ts",
  "adapters/shared/cli/Telemetry.test.ts",
  "adapters/shared/integration/Command.test.ts",
  "adapters/shared/integration/Soak.test.ts",
  "conformance/lab/differential/Differential.test.ts",
  "adapters/shared/integration/LineSuite.test.ts",
  "adapters/shared/integration/Containers.test.ts",
  "adapters/shared/integration/ProcessCredit.test.ts",
  "adapters/shared/integration/Deadlines.test.ts",
  "conformance/integration/BrokenV0Servers.test.ts",
  "adapters/sandbox/Bubblewrap.test.ts",
  "adapters/shared/cli/McpCommand.test.ts",
  "adapters/shared/integration/Systemd.test.ts",
  "conformance/lab/simulation/Faults.test.ts",
]

/** @param {TestSpecification} file */
const place = ({ moduleId, project }) => {
  const at = longest.indexOf(relative(project.config.root, moduleId))
  return at < 0 ? longest.length : at
}

/** Long files with a worker of their own, then each project whose files share workers, then the rest. */
const order = ["core", "together"]
/** @param {TestSpecification} file */
const turn = (file) => {
  const shared = order.indexOf(file.project.name)
  if (shared >= 0) return 1 + shared
  return place(file) < longest.length ? 0 : 1 + order.length
}

/** Sorts within a turn by the list, then as vitest does: larger files first. */
export class Sequencer extends BaseSequencer {
  /** @override @param {TestSpecification[]} files */
  async sort(files) {
    const usual = await super.sort(files)
    return usual.sort((a, b) => turn(a) - turn(b) || place(a) - place(b))
  }
}
