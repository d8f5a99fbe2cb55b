/**
 * A server that tells of the output of some processes carelessly, as others may: a notification is left out, comes
 * twice, or comes after later ones. A client has to put that right. Nothing is left out that nothing would show.
 */
import type { Seed } from "./Seed.ts"

/** Of a hundred notifications of such a process, those that each of the three happens to. */
const share = 12

/** The most messages that overtake a notification. */
const mostOvertaking = 5

/** What becomes of the notifications of one connection. */
export class Disorder {
  private readonly seed: Seed
  private readonly processes: ReadonlySet<string>
  private late: Array<{ readonly text: string; left: number }> = []

  /** `processes` are told of carelessly. */
  constructor(seed: Seed, processes: ReadonlySet<string>) {
    this.seed = seed
    this.processes = processes
  }

  /** What is sent in place of a message of that method about that process. */
  instead(text: string, method: string | undefined, process: string | undefined): ReadonlyArray<string> {
    if (this.processes.size === 0) return [text]
    const careless = process !== undefined && this.processes.has(process)
    const sent = careless && method !== undefined ? this.treat(text, method) : [text]
    for (const one of this.late) one.left -= 1
    const due = this.late.filter(({ left }) => left < 0)
    if (due.length > 0) this.late = this.late.filter(({ left }) => left >= 0)
    return [...sent, ...due.map(({ text }) => text)]
  }

  private treat(text: string, method: string): ReadonlyArray<string> {
    const { seed } = this
    if (seed.chance(share)) return [text, text]
    // After `closed` nothing comes that would show a gap.
    if (method === "process/closed") return [text]
    if (seed.chance(share)) return []
    if (!seed.chance(share)) return [text]
    this.late.push({ text, left: seed.between(1, mostOvertaking) })
    return []
  }
}
