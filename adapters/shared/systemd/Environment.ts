/**
 * The variables by which systemd talks to a service. The variables are for this process alone, so they are removed
 * before anything is started: a child would take them for its own.
 */

/** Sockets that were passed to this process (`sd_listen_fds`), and where it is to report. */
export interface Environment {
  readonly notifySocket: string | undefined
  /** `LISTEN_FDS`, `LISTEN_PID` and `LISTEN_FDNAMES` as they were found. */
  readonly listenFds: string | undefined
  readonly listenPid: string | undefined
  readonly listenNames: string | undefined
}

/** Reads the variables and removes them. Those of the watchdog and the pidfd go with them. */
export const take = (env: Record<string, string | undefined>): Environment => {
  const [notifySocket, listenFds, listenPid, listenNames] = names.map((name) => {
    const value = env[name]
    delete env[name]
    return value
  })
  return { notifySocket, listenFds, listenPid, listenNames }
}

const names = [
  "NOTIFY_SOCKET",
  "LISTEN_FDS",
  "LISTEN_PID",
  "LISTEN_FDNAMES",
  "LISTEN_PIDFDID",
  "WATCHDOG_USEC",
  "WATCHDOG_PID",
]
