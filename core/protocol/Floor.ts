/**
 * What a server itself is confined to: a floor under the confinement of every request, which none can widen.
 *
 * A request that asks for more gets the floor, one that asks for less gets what it asks for.
 */
import * as Confinement from "./Confinement.ts"

type Places = ReadonlyArray<Confinement.Place>

/** What is left for a request that asks for `asked`, or for everything. Without a floor it is that. */
export const under = (
  floor: Confinement.Confinement | undefined,
  asked: Confinement.Confinement | undefined,
): Confinement.Confinement | undefined => {
  if (floor === undefined || asked === undefined) return floor ?? asked
  const network = floor.network && asked.network
  if (Confinement.hasAllFiles(floor)) return { ...asked, network }
  const places = intersect(floor.places, asked.places)
  if (isSame(places, plain(floor.places))) return { ...floor, network }
  return { places, network, layers: [...layersOf(floor), ...layersOf(asked)] }
}

/** The confinements that hold at once, the outermost first. */
export const layersOf = (confinement: Confinement.Confinement): ReadonlyArray<Confinement.Confinement> =>
  confinement.layers ?? [confinement]

/** What both allow, by the paths alone. */
export const intersect = (one: Places, other: Places): Places =>
  plain(
    Confinement.merge([...one, ...other]).map(({ path }): Confinement.Place => {
      const [first, second] = [accessTo(one, path), accessTo(other, path)]
      return { path, access: order.indexOf(first) < order.indexOf(second) ? first : second }
    }),
  )

/** True if every file exists for a request, whether or not it may be written. */
export const showsAllFiles = ({ places }: Confinement.Confinement): boolean =>
  accessTo(places, "/") !== "none" && places.every(({ access }) => access !== "none")

/** From less to more. */
const order: ReadonlyArray<Confinement.Access> = ["none", "read", "write"]

const accessTo = (places: Places, path: string): Confinement.Access =>
  Confinement.placeOf(places, path)?.access ?? "none"

/** Without the places that say the same as the place they are in. */
const plain = (places: Places): Places =>
  places.filter(({ path, access }, index) => accessTo(places.slice(0, index), path) !== access)

const isSame = (one: Places, other: Places): boolean =>
  one.length === other.length &&
  one.every(({ path, access }, index) => other[index]?.path === path && other[index]?.access === access)
