/** Times and sizes, as short as people read them. */

/** A span of time by its largest unit: `5s`, `3m`, `2h`, `4d`. */
export const age = (millis: number): string => {
  const seconds = Math.max(0, Math.floor(millis / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

/** Bytes with a unit of 1024: `0 B`, `1.5 KiB`, `12 MiB`. */
export const bytes = (count: number): string => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
  let [value, unit] = [count, 0]
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1]
  return `${unit === 0 || value >= 10 ? Math.floor(value) : Math.floor(value * 10) / 10} ${units[unit]}`
}
