/** Grows memory by doubling, so that growth is rare. */

/** `least` doubled until it is at least `wanted`; 0 if nothing is wanted. */
export const fitting = (wanted: number, least: number): number => {
  if (wanted === 0) return 0
  let size = least
  while (size < wanted) size *= 2
  return size
}
