/** A PostgreSQL of Debian for one test file: on a Unix socket in a folder of its own. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { makeFolder, removeFolder, run, start, type EngineProcess } from "./EngineProcess.ts"

const versions = "/usr/lib/postgresql"

/** The folder of its programs; undefined if it is not installed. */
const programs = (): string | undefined => {
  const found = existsSync(versions)
    ? readdirSync(versions).sort((one, other) => Number(other) - Number(one))
    : []
  const folders = found.map((name) => join(versions, name, "bin"))
  return folders.find((folder) => existsSync(join(folder, "initdb")))
}

/** The obstacle to a server here; undefined if there is none. */
export const lacking =
  process.platform !== "linux"
    ? "PostgreSQL is started in the way of Linux"
    : programs() === undefined
      ? `PostgreSQL is not installed in ${versions}`
      : !existsSync("/usr/bin/setpriv")
        ? "/usr/bin/setpriv is not installed"
        : undefined

/** One cluster of databases. */
export class PostgresServer {
  /** The URL of its only database. */
  readonly url: string
  private readonly bin: string
  private readonly folder: string
  private server: EngineProcess | undefined

  private constructor(bin: string, folder: string) {
    this.bin = bin
    this.folder = folder
    this.url = `postgres://procwire@${encodeURIComponent(folder)}/postgres`
  }

  /** Makes the cluster and starts it. */
  static async start(): Promise<PostgresServer> {
    const server = new PostgresServer(programs() ?? "", makeFolder())
    const { bin, folder } = server
    const words = [
      "-D",
      join(folder, "data"),
      "-U",
      "procwire",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C",
      "-N",
    ]
    await run(join(bin, "initdb"), words, folder)
    await server.begin()
    return server
  }

  /** Starts the server of the cluster, which has ended. */
  async begin(): Promise<void> {
    const { bin, folder } = this
    const settings = ["fsync=off", "full_page_writes=off", "max_connections=200", "shared_buffers=16MB"]
    const words = [
      "-D",
      join(folder, "data"),
      "-k",
      folder,
      "-h",
      "",
      ...settings.flatMap((one) => ["-c", one]),
    ]
    this.server = await start(join(bin, "postgres"), words, folder, "ready to accept connections")
  }

  /** Every process of it is stopped. */
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

  /** Runs statements by a connection of their own. */
  async query(text: string, database = "postgres"): Promise<void> {
    const { bin, folder } = this
    await run(join(bin, "psql"), ["-X", "-h", folder, "-U", "procwire", "-c", text, database], folder)
  }

  /** Ends it, and removes the folder. */
  async remove(): Promise<void> {
    await this.server?.end("SIGQUIT")
    removeFolder(this.folder)
  }
}
