/** A nats-server of Debian for one test file: with JetStream, on a free port, in a folder of its own. */
import { existsSync } from "node:fs"
import * as Ports from "../../testing/Ports.ts"
import { makeFolder, removeFolder, start, type EngineProcess } from "./EngineProcess.ts"

const program = ["/usr/sbin/nats-server", "/usr/bin/nats-server"].find((path) => existsSync(path))

/** The obstacle to a server here; undefined if there is none. */
export const lacking =
  process.platform !== "linux"
    ? "nats-server is started in the way of Linux"
    : program === undefined
      ? "nats-server is not installed"
      : !existsSync("/usr/bin/setpriv")
        ? "/usr/bin/setpriv is not installed"
        : undefined

/** A server whose stored values outlive its processes. */
export class NatsServer {
  /** Its address, also after a restart. */
  readonly url: string
  private readonly port: number
  private readonly folder: string
  private server: EngineProcess | undefined

  private constructor(port: number, folder: string) {
    this.port = port
    this.folder = folder
    this.url = `nats://127.0.0.1:${port}`
  }

  /** Starts one. */
  static async start(): Promise<NatsServer> {
    const server = new NatsServer(await Ports.unused(), makeFolder())
    await server.begin()
    return server
  }

  /** Starts the server again, which has ended. */
  async begin(): Promise<void> {
    const words = ["-a", "127.0.0.1", "-p", String(this.port), "-js", "-sd", this.folder]
    this.server = await start(program ?? "", words, this.folder, "Server is ready")
  }

  /** The process is stopped: connections stay, and nothing is answered. */
  freeze(): void {
    this.server?.freeze()
  }

  /** It goes on. */
  thaw(): void {
    this.server?.thaw()
  }

  /** SIGKILL, in the middle of everything. */
  async kill(): Promise<void> {
    await this.server?.kill()
  }

  /** Ends it, and removes the folder. */
  async remove(): Promise<void> {
    await this.server?.end("SIGKILL")
    removeFolder(this.folder)
  }
}
