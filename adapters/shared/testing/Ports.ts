/** Free ports, for programs that need a number. */
import { createServer } from "node:net"

/** The first of those that the system gives to whoever asks for any is 32,768 on Linux. */
const [first, count] = [12_000, 20_000]

/**
 * A port of the loopback interface without a listener. The system gives it to no other program, so that it is still
 * free when a program that starts slowly listens there, or listens there again.
 */
export const unused = async (): Promise<number> => {
  for (;;) {
    const port = first + Math.floor(Math.random() * count)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once("error", () => resolve(false))
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)))
  })
