/**
 * The system calls that a confined process is refused with EPERM, as a seccomp (classic BPF) program.
 *
 * Without a network no socket can be opened, except connected pairs of streams: a network namespace alone would leave
 * unix sockets in the file system (a container engine listens on one) and other families, and a pair of datagrams can
 * be connected to such a socket anew. With a loopback of its own it has TCP and UDP beside them, and may ask which
 * addresses it has. With the whole network only AF_VSOCK is refused, which leads to the host of a virtual machine.
 *
 * Refused always: io_uring (opens sockets past such a filter), kernel keys (no namespace separates them), bpf, perf,
 * and TIOCSTI and TIOCLINUX (type into a terminal for somebody else). Programs for another architecture (32 bit, x32)
 * use other numbers, and are refused every call.
 */

interface Numbers {
  /** AUDIT_ARCH_* of linux/audit.h. */
  readonly arch: number
  readonly socket: number
  readonly socketpair: number
  readonly ioctl: number
  readonly refused: ReadonlyArray<number>
}

const ioUring = [425, 426, 427]

const numbers: Readonly<Record<string, Numbers>> = {
  x64: {
    arch: 0xc000003e,
    socket: 41,
    socketpair: 53,
    ioctl: 16,
    refused: [...ioUring, 248, 249, 250, 298, 321],
  },
  arm64: {
    arch: 0xc00000b7,
    socket: 198,
    socketpair: 199,
    ioctl: 29,
    refused: [...ioUring, 217, 218, 219, 241, 280],
  },
}

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const AF_VSOCK = 40
const NETLINK_ROUTE = 0
const SOCK_STREAM = 1
const SOCK_DGRAM = 2
const SOCK_SEQPACKET = 5
/** The type of a socket, without SOCK_CLOEXEC and SOCK_NONBLOCK. */
const SOCK_TYPE_MASK = 0xf
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c
/** On x64, numbers from here on are those of x32. */
const X32 = 0x40000000

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number]

const ALLOW = 0x7fff0000
const REFUSE = 0x00050001 // with EPERM

const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const give = (value: number): Instruction => [0x06, 0, 0, value]
/** Loads the low half of an argument of the call, on a little-endian machine. */
const argument = (index: number): Instruction => load(16 + 8 * index)
const and = (mask: number): Instruction => [0x54, 0, 0, mask]
/** Runs `block` if the loaded value equals `value`, else skips it. */
const when = (value: number, block: ReadonlyArray<Instruction>): ReadonlyArray<Instruction> => [
  [0x15, 0, block.length, value],
  ...block,
]
/** The same if it is at least `value`. */
const from = (value: number, block: ReadonlyArray<Instruction>): ReadonlyArray<Instruction> => [
  [0x35, 0, block.length, value],
  ...block,
]
const refuse = [give(REFUSE)]
const allow = [give(ALLOW)]
const typeOfSocket = [argument(1), and(SOCK_TYPE_MASK)]
const streamPairs = [
  argument(0),
  ...when(AF_UNIX, [...typeOfSocket, ...when(SOCK_STREAM, allow), ...when(SOCK_SEQPACKET, allow)]),
  ...refuse,
]

const ofLoopback = [
  argument(0),
  ...when(AF_NETLINK, [argument(2), ...when(NETLINK_ROUTE, allow), ...refuse]),
  ...[AF_INET, AF_INET6].flatMap((family) =>
    when(family, [...typeOfSocket, ...when(SOCK_STREAM, allow), ...when(SOCK_DGRAM, allow), ...refuse]),
  ),
  ...refuse,
]
const sockets: Readonly<Record<Network, ReadonlyArray<Instruction>>> = {
  none: refuse,
  loopback: ofLoopback,
  all: [argument(0), ...when(AF_VSOCK, refuse), ...allow],
}

/** The network of a child: none, a namespace with a loopback alone, or that of this process. */
export type Network = "none" | "loopback" | "all"

/** The filter for an architecture as `process.arch` names it; `undefined` for one that is not known. */
export const make = (architecture: string, network: Network): Uint8Array | undefined => {
  const known = numbers[architecture]
  if (known === undefined) return undefined
  const { arch, socket, socketpair, ioctl, refused } = known
  const program = [
    load(4),
    ...when(arch, [[0x05, 0, 0, 1]]),
    ...refuse,
    load(0),
    ...(architecture === "x64" ? from(X32, refuse) : []),
    ...refused.flatMap((number) => when(number, refuse)),
    ...when(ioctl, [argument(1), ...when(TIOCSTI, refuse), ...when(TIOCLINUX, refuse), ...allow]),
    ...when(socket, sockets[network]),
    ...when(socketpair, network === "all" ? allow : streamPairs),
    ...allow,
  ]
  const bytes = new DataView(new ArrayBuffer(8 * program.length))
  program.forEach(([code, jumpTrue, jumpFalse, value], index) => {
    bytes.setUint16(8 * index, code, true)
    bytes.setUint8(8 * index + 2, jumpTrue)
    bytes.setUint8(8 * index + 3, jumpFalse)
    bytes.setUint32(8 * index + 4, value, true)
  })
  return new Uint8Array(bytes.buffer)
}
