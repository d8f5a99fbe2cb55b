/**
 * File systems of whose changes Linux tells nobody: what the kernel makes up, and what other machines change.
 *
 * If the runtime cannot ask for the kind of a file system, only /proc and /sys are known.
 */
import * as fs from "node:fs"
import process from "node:process"
import { promisify } from "node:util"

/** True if a watch of this folder, a path without links, could miss what it waits for. */
export const isSilent = async (folder: string): Promise<boolean> => {
  if (process.platform !== "linux") return false
  if (/^\/(?:proc|sys)(?:\/|$)/.test(folder)) return true
  if (typeof fs.statfs !== "function") return false
  const asked = promisify<string, fs.StatsFs>(fs.statfs)(folder)
  // Deno lets only programs with all permissions ask.
  return asked.then(
    ({ type }) => silent.has(type >>> 0),
    () => false,
  )
}

/** The magic numbers of `statfs`. */
const silent = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x1cd1, // devpts
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x6969, // NFS
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2
  0x01021997, // 9P
  0x00c36400, // Ceph
])
