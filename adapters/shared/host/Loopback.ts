/** Addresses that only this machine reaches. */
import net from "node:net"

const addresses = (): net.BlockList => {
  const list = new net.BlockList()
  list.addSubnet("127.0.0.0", 8)
  list.addAddress("::1", "ipv6")
  return list
}

let made: net.BlockList | undefined

/** True for 127.0.0.0/8 and ::1. */
export const holds = (address: string): boolean =>
  (made ??= addresses()).check(address, net.isIP(address) === 6 ? "ipv6" : "ipv4")
