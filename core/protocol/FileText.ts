/** Hand-written encoders of the file methods: content and long lists straight to JSON text. */
import { toBase64 } from "./Bytes.ts"
import type { ReadBlockResult } from "./FileSystem.ts"

/** The JSON text of a `fs/readFile` result. */
export const readFileResult = ({ dataBase64 }: { readonly dataBase64: Uint8Array }): string =>
  `{"dataBase64":"${toBase64(dataBase64)}"}`

/** The JSON text of a `fs/readBlock` result. */
export const readBlockResult = ({ chunk, eof }: ReadBlockResult): string =>
  `{"chunk":"${toBase64(chunk)}","eof":${eof}}`

/** The JSON text of a result whose schema encodes to the same value. */
export const plain = (result: object): string => JSON.stringify(result)
