/** Whether somebody can see an element, and how large it is. */

/** Who is told. */
export interface Told {
  readonly resized: () => void
  readonly looked: (visible: boolean) => void
}

/** Watches an element until the returned function is called. */
export const watch = (element: HTMLElement, { resized, looked }: Told): (() => void) => {
  let inView = element.checkVisibility()
  const tell = () => looked(inView && !document.hidden)
  const sizes = new ResizeObserver(resized)
  const sight = new IntersectionObserver((entries) => {
    inView = entries.at(-1)?.isIntersecting === true
    tell()
  })
  sizes.observe(element)
  sight.observe(element)
  document.addEventListener("visibilitychange", tell)
  return () => {
    sizes.disconnect()
    sight.disconnect()
    document.removeEventListener("visibilitychange", tell)
  }
}
