/**
 * Ways past egress rules that a process tries, as data: for bash, and what keeps it in.
 *
 * A process finds in its environment ALLOWED and SECRET (ports of this machine), UDP (one for datagrams), ADDRESS (its
 * own, outside of loopback), and SERVER (a pid). Servers behind SECRET and UDP answer with `escaped`, as does the one
 * behind ALLOWED for the host evil.test, and at 127.0.0.2. The rules allow allowed.test, the names below it,
 * inside.test and rebind.test, and the address 127.0.0.1 at ALLOWED. All names lead to 127.0.0.1; from the second look
 * on rebind.test leads to 127.0.0.2.
 */

/** The needs of an escape; a machine that lacks one cannot try it. */
export type Need = "curl" | "perl" | "root" | "ipv6" | "address" | "vsock"

/** A way out that a process tries. */
export interface EgressEscape {
  readonly name: string
  readonly script: string
  readonly needs?: ReadonlyArray<Need>
  readonly guard: string
  /** False: it also fails without the guard, on this machine or in this proxy. */
  readonly canSucceed?: false
}

const tcp = (host: string) => `exec 3<>/dev/tcp/${host}/$SECRET && echo >&3 && cat <&3`
const socket = (what: string) => `perl -MSocket -e 'socket(my $s, ${what}) or die $!' && echo escaped`
const filter = "a filter of system calls"
const namespace = "a network namespace without a route"

/** Ways that do not ask the proxy; without the guard is a process that is not confined. */
export const direct: ReadonlyArray<EgressEscape> = [
  { name: "connects to a port of this machine", script: tcp("127.0.0.1"), guard: namespace },
  { name: "connects to it by IPv6", script: tcp("::1"), needs: ["ipv6"], guard: namespace },
  { name: "connects to it by the unspecified address", script: tcp("0.0.0.0"), guard: namespace },
  { name: "connects to it by that of IPv6", script: tcp("::"), needs: ["ipv6"], guard: namespace },
  {
    name: "connects to an address of a network",
    script: tcp("$ADDRESS"),
    needs: ["address"],
    guard: namespace,
  },
  {
    name: "takes the variables of the proxy away",
    script: `env -i "$(command -v curl)" -s "http://127.0.0.1:$SECRET/"`,
    needs: ["curl"],
    guard: namespace,
  },
  {
    name: "tells a program to pass the proxy by",
    script: `curl -s --noproxy '*' "http://127.0.0.1:$SECRET/"`,
    needs: ["curl"],
    guard: namespace,
  },
  {
    name: "sends a datagram, as one with a question to a name server is",
    script: "exec 3<>/dev/udp/127.0.0.1/$UDP && echo >&3 && timeout 5 head -c 8 <&3",
    guard: namespace,
  },
  {
    name: "sends a datagram to a network",
    script: "exec 3<>/dev/udp/$ADDRESS/$UDP && echo >&3 && timeout 5 head -c 8 <&3",
    needs: ["address"],
    guard: namespace,
  },
  {
    name: "starts a descendant in a session of its own, which outlives it",
    script: `(setsid bash -c '${tcp("127.0.0.1")}' &) | cat`,
    guard: "its descendants are in the namespace, too",
  },
  {
    name: "enters the network of the server",
    script: `nsenter --net=/proc/$SERVER/ns/net bash -c '${tcp("127.0.0.1")}'`,
    needs: ["root"],
    guard: "a namespace of process ids, and no capabilities",
  },
  {
    name: "enters the network of any process that it sees",
    script: `for each in /proc/[0-9]*/ns/net; do nsenter --net=$each bash -c '${tcp("127.0.0.1")}' && break; done`,
    needs: ["root"],
    guard: "a namespace of process ids, and no capabilities",
  },
  {
    name: "finds a descriptor of another network",
    script: `for each in /proc/$SERVER/fd/*; do case $(readlink $each) in net:*) echo escaped;; esac; done`,
    guard: "a namespace of process ids",
  },
  {
    name: "becomes root in a user namespace, and makes an interface",
    script: "unshare -Ur ip link add escaping type dummy && echo escaped",
    guard: "the network namespace belongs to a user namespace around",
    canSucceed: false,
  },
  {
    name: "takes the port of its proxy",
    script:
      `perl -MSocket -e 'socket(my $s, AF_INET, SOCK_STREAM, 0); setsockopt($s, SOL_SOCKET, $_, 1) for (2, 15); ` +
      `my ($port) = $ENV{http_proxy} =~ /(\\d+)$/; ` +
      `for my $at ("0.0.0.0", "127.0.0.1") { print "escaped" if bind($s, pack_sockaddr_in($port, inet_aton($at))) }'`,
    needs: ["perl"],
    guard: "the server listens there before the process is",
    canSucceed: false,
  },
  {
    name: "opens a raw socket",
    script: socket("AF_INET, SOCK_RAW, 1"),
    needs: ["perl", "root"],
    guard: filter,
  },
  {
    name: "opens a packet socket",
    script: socket("17, SOCK_RAW, 0"),
    needs: ["perl", "root"],
    guard: filter,
  },
  { name: "opens a unix socket", script: socket("AF_UNIX, SOCK_STREAM, 0"), needs: ["perl"], guard: filter },
  {
    name: "opens a pair of unix sockets for datagrams",
    script: `perl -MSocket -e 'socketpair(my $a, my $b, AF_UNIX, SOCK_DGRAM, 0) or die' && echo escaped`,
    needs: ["perl"],
    guard: filter,
  },
  {
    name: "opens a socket to the host",
    script: socket("40, SOCK_STREAM, 0"),
    needs: ["perl", "vsock"],
    guard: filter,
  },
  {
    name: "hears what the kernel tells of devices",
    script: socket("16, SOCK_DGRAM, 15"),
    needs: ["perl"],
    guard: filter,
  },
]

const http = (url: string, more = "") => `curl -s --noproxy '' -x "$http_proxy" ${more} "${url}"`
const tunnel = (url: string) => http(url, "-p")
const socks = (url: string) => `curl -s --noproxy '' -x "socks5h://\${http_proxy#http://}" "${url}"`
const talk = (...words: ReadonlyArray<string>) =>
  `exec 3<>/dev/tcp/127.0.0.1/\${http_proxy##*:}; ${words.map((word) => `printf '${word}' >&3; `).join("sleep 0.2; ")} timeout 5 cat <&3`
const curl: ReadonlyArray<Need> = ["curl"]
const name = "names are compared by their labels, in one form"
const address = "an address has to be named by a rule"

/** Ways that ask the proxy; without the guard is one whose gate allows everything. */
export const byProxy: ReadonlyArray<EgressEscape> = [
  {
    name: "asks for a host that no rule names",
    script: http("http://evil.test:$SECRET/"),
    needs: curl,
    guard: "rules",
  },
  {
    name: "asks for a tunnel to it",
    script: tunnel("http://evil.test:$SECRET/"),
    needs: curl,
    guard: "rules",
  },
  { name: "asks for it by SOCKS5", script: socks("http://evil.test:$SECRET/"), needs: curl, guard: "rules" },
  {
    name: "asks for another port of an allowed address",
    script: tunnel("http://127.0.0.1:$SECRET/"),
    needs: curl,
    guard: "rules",
  },
  ...["evilallowed.test", "allowed.test.evil.test", "allowed.test.", "ALLOWED.TEST"].map((host) => ({
    name: `asks for ${host} at a port that is private`,
    script: http(`http://${host}:$SECRET/`),
    needs: curl,
    guard: name,
  })),
  ...["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]"].map(
    (host): EgressEscape => ({
      name: `asks for the address ${host}`,
      script: `${http(`http://${host}:$SECRET/`)}; ${tunnel(`http://${host}:$SECRET/`)}; ${socks(`http://${host}:$SECRET/`)}`,
      needs: host === "[::1]" || host === "[::]" ? ["curl", "ipv6"] : curl,
      guard: address,
    }),
  ),
  {
    name: "asks for an allowed name that leads inside",
    script: `${http("http://inside.test:$SECRET/")}; ${tunnel("http://inside.test:$SECRET/")}`,
    needs: curl,
    guard: address,
  },
  {
    name: "opens a WebSocket to an allowed name that leads inside",
    script: http(
      "http://inside.test:$SECRET/",
      "-H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='",
    ),
    needs: curl,
    guard: address,
  },
  {
    name: "changes the address of a name between the check and the connection",
    script: `for n in 1 2 3 4; do ${http("http://rebind.test:$ALLOWED/")}; ${tunnel("http://rebind.test:$ALLOWED/")}; done`,
    needs: curl,
    guard: "the address that was judged is dialled",
  },
  {
    name: "asks for another host on the same connection",
    script: talk(
      "GET http://allowed.test:'$ALLOWED'/ HTTP/1.1\\r\\nHost: allowed.test:'$ALLOWED'\\r\\n\\r\\n",
      "GET http://evil.test:'$SECRET'/ HTTP/1.1\\r\\nHost: evil.test:'$SECRET'\\r\\nConnection: close\\r\\n\\r\\n",
    ),
    guard: "each request is judged",
  },
  {
    name: "says one host in the target and another one in the header",
    script: http("http://allowed.test:$ALLOWED/", "-H 'Host: evil.test'"),
    needs: curl,
    guard: "the header is made of the target",
    canSucceed: false,
  },
  {
    name: "asks for a tunnel within a tunnel",
    script: talk(
      "CONNECT allowed.test:'$ALLOWED' HTTP/1.1\\r\\nHost: allowed.test\\r\\n\\r\\n",
      "CONNECT evil.test:'$SECRET' HTTP/1.1\\r\\n\\r\\n",
    ),
    guard: "the proxy reads nothing within a tunnel",
    canSucceed: false,
  },
  {
    name: "ends a name for the resolver, and not for the rules",
    script: talk(
      "\\x05\\x01\\x00",
      "\\x05\\x01\\x00\\x03\\x17evil.test\\x00.allowed.test'$(printf \"\\\\\\\\x%02x\\\\\\\\x%02x\" $((SECRET >> 8)) $((SECRET & 255)))'",
      "GET / HTTP/1.0\\r\\n\\r\\n",
    ),
    guard: "a name with a NUL is refused",
    canSucceed: false,
  },
  {
    name: "asks for the metadata of a cloud",
    script: `curl -s -m 5 --noproxy '' -x "$http_proxy" http://169.254.169.254/latest/ | grep -v "^169.254.169.254:80 is blocked"`,
    needs: curl,
    guard: address,
    canSucceed: false,
  },
]
