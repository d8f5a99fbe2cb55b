/**
 * The address of a PostgreSQL. Its defaults are those of the programs of PostgreSQL: the socket of this machine, and
 * the name of this user. The library knows neither.
 */
import { existsSync } from "node:fs"
import { userInfo } from "node:os"
import process from "node:process"

const form = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^/?#]*)(.*)$/s

/** The folders of sockets: of Debian and others, and of PostgreSQL itself. */
const usualFolders = ["/var/run/postgresql", "/tmp"]

/** The whole address; `folders` are those in which a socket may be. */
export const complete = (
  url: string,
  env: NodeJS.ProcessEnv = process.env,
  folders: ReadonlyArray<string> = usualFolders,
): string => {
  const [, scheme, user, host, rest = ""] = form.exec(url) ?? []
  if (scheme === undefined) return url
  const names = (option: string) => new RegExp(`[?&]${option}=`).test(rest)
  const socket = `.s.PGSQL.${env["PGPORT"] || 5432}`
  const isNamed = host !== "" || names("host") || Boolean(env["PGHOST"])
  const folder = isNamed ? undefined : folders.find((each) => existsSync(`${each}/${socket}`))
  const found = folder === undefined ? host : encodeURIComponent(folder)
  const isKnown = user !== undefined || names("user") || Boolean(env["PGUSER"]) || found === ""
  const who = isKnown ? user : userName()
  return `${scheme}${who === undefined ? "" : `${who}@`}${found}${rest}`
}

/** Deno may not let this program ask for it. */
const userName = (): string | undefined => {
  try {
    return encodeURIComponent(userInfo().username)
  } catch {
    return undefined
  }
}
