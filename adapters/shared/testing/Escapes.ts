/**
 * Ways out of a sandbox that a process tries, as data: what is tried, what shows that it has succeeded, and what keeps
 * it in.
 *
 * A process finds in its environment what it tries to reach: WORK, which it may write, and beyond its reach OUTSIDE,
 * SECRET (a folder with the file `key`), SERVER (a pid), AUDIT (a file that the server holds open), ABSTRACT and SOCKET
 * (names of unix sockets), LOG (a unix socket for datagrams) and PORT. An escape that has succeeded prints `escaped`.
 */

/** The needs of an escape; a machine that lacks one cannot try it. */
export type Need = "perl" | "root" | "user-namespaces" | "tiocsti"

/** A way out that a process tries. */
export interface Escape {
  readonly name: string
  /** For `/bin/sh`. */
  readonly script: string
  /** On a terminal. */
  readonly tty?: boolean
  readonly needs?: ReadonlyArray<Need>
  /** The place below WORK that the request asks to write, beside reading everything; a link that leads out. */
  readonly asks?: string
  /** The barrier. */
  readonly guard: string
  /** The proof that it can succeed: a server without `--confine`, or a shell that leaves descriptors open. */
  readonly freeOn?: "leaky shell"
}

const connect = (family: string, address: string) =>
  `perl -MSocket -e 'socket(my $s, ${family}, SOCK_STREAM, 0) or die; connect($s, ${address}) or die' && echo escaped`

/** The number of the system call: it differs between processors. */
const ptrace = "$(case $(uname -m) in x86_64) echo 101;; *) echo 117;; esac)"

/** All of them. */
export const all: ReadonlyArray<Escape> = [
  {
    name: "writes a file outside",
    script: 'echo x >"$OUTSIDE/made" && echo escaped',
    guard: "mounts are read-only",
  },
  {
    name: "gives a file outside a name in the workspace, and writes that",
    script: 'ln "$OUTSIDE/file" "$WORK/hard" && echo x >>"$WORK/hard" && echo escaped',
    guard: "a hard link does not cross mounts",
  },
  {
    name: "follows a link out of the workspace",
    script: 'ln -sfn "$OUTSIDE" "$WORK/out" && echo x >"$WORK/out/linked" && echo escaped',
    guard: "mounts are read-only",
  },
  {
    name: "asks to write a place that is a link out of the workspace",
    asks: "link",
    script: 'echo x >"$WORK/link/asked" && echo escaped',
    guard: "the sandbox of the request is made inside that of the server",
  },
  {
    name: "reads a hidden file",
    script: 'grep -q key "$SECRET/key" && echo escaped',
    guard: "an empty folder is mounted over it",
  },
  {
    name: "reads it through the root of the server",
    script: 'grep -q key "/proc/$SERVER/root$SECRET/key" && echo escaped',
    guard: "a namespace of process ids",
  },
  {
    name: "writes through the working directory of the server",
    script: 'echo x >"/proc/$SERVER/cwd/made" && echo escaped',
    guard: "a namespace of process ids",
  },
  {
    name: "takes away the mount that hides it",
    script: `unshare -Urm sh -c 'umount "$SECRET"; grep -q key "$SECRET/key"' && echo escaped`,
    needs: ["user-namespaces"],
    guard: "no capabilities, and /proc is read-only",
  },
  {
    name: "mounts the file system again, to be written",
    script: `unshare -Urm sh -c 'mount -o remount,bind,rw / && echo x >"$OUTSIDE/again"' && echo escaped`,
    needs: ["user-namespaces"],
    guard: "no capabilities, and /proc is read-only",
  },
  {
    name: "reads the environment of the server",
    script: 'grep -q PATH= "/proc/$SERVER/environ" && echo escaped',
    guard: "a namespace of process ids",
  },
  {
    name: "traces the server",
    // PTRACE_SEIZE, which does not stop it.
    script: `perl -e 'exit(syscall($ARGV[0] + 0, 0x4206, $ENV{SERVER} + 0, 0, 0) == 0 ? 0 : 1)' "${ptrace}" && echo escaped`,
    needs: ["perl"],
    guard: "a namespace of process ids",
  },
  {
    name: "reads the memory of the server",
    script: 'head -c 0 "/proc/$SERVER/mem" && echo escaped',
    guard: "a namespace of process ids",
  },
  {
    name: "forges the audit log by the descriptor of the server",
    script:
      'for fd in "/proc/$SERVER/fd/"*; do [ "$(readlink "$fd")" = "$AUDIT" ] && : >>"$fd" && echo escaped; done; :',
    guard: "a namespace of process ids",
  },
  {
    name: "inherits a descriptor",
    script: '[ "$(ls /proc/self/fd | wc -l)" -gt 4 ] && echo escaped',
    freeOn: "leaky shell",
    guard: "children inherit 0, 1 and 2 only",
  },
  {
    name: "sends a signal to the server",
    script: 'kill -CONT "$SERVER" && echo escaped',
    guard: "a namespace of process ids",
  },
  {
    name: "sends a signal through a descriptor of the server's process",
    // pidfd_open, and pidfd_send_signal with SIGCONT
    script:
      `perl -e 'my $fd = syscall(434, $ENV{SERVER} + 0, 0); ` +
      `exit($fd >= 0 && syscall(424, $fd, 18, 0, 0) == 0 ? 0 : 1)' && echo escaped`,
    needs: ["perl"],
    guard: "a namespace of process ids",
  },
  {
    name: "connects to an abstract socket",
    script: connect("AF_UNIX", 'pack_sockaddr_un("\\0$ENV{ABSTRACT}")'),
    needs: ["perl"],
    guard: "a filter of system calls refuses sockets, and a network namespace",
  },
  {
    name: "connects to a unix socket in the file system",
    script: connect("AF_UNIX", "pack_sockaddr_un($ENV{SOCKET})"),
    needs: ["perl"],
    guard: "a filter of system calls refuses sockets",
  },
  {
    name: "sends to a unix socket in the file system by a pair of datagram sockets",
    script:
      `perl -MSocket -e 'socketpair(my $a, my $b, AF_UNIX, SOCK_DGRAM, 0) or die; ` +
      `connect($a, pack_sockaddr_un($ENV{LOG})) or die; send($a, "x", 0) or die' && echo escaped`,
    needs: ["perl"],
    guard: "a filter of system calls refuses pairs of datagram sockets",
  },
  {
    name: "connects to a port of this machine",
    script: connect("AF_INET", 'pack_sockaddr_in($ENV{PORT}, inet_aton("127.0.0.1"))'),
    needs: ["perl"],
    guard: "a filter of system calls refuses sockets, and a network namespace",
  },
  {
    name: "types into its terminal",
    tty: true,
    script: `perl -e 'my $c = "x"; exit(ioctl(STDIN, 0x5412, $c) ? 0 : 1)' && echo escaped`,
    needs: ["perl", "tiocsti"],
    guard: "a filter of system calls refuses TIOCSTI",
  },
  {
    name: "changes a setting of the kernel",
    // Opened for writing, and nothing is written.
    script: "(: >>/proc/sys/vm/swappiness) && echo escaped",
    needs: ["root"],
    guard: "/proc is read-only",
  },
  {
    name: "makes a device",
    script: 'mknod "$WORK/device" c 1 3 && echo escaped',
    needs: ["root"],
    guard: "no capabilities",
  },
]
