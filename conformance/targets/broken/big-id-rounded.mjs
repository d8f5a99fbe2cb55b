// @ts-check
/** Fault: ids are numbers of JavaScript, which hold 53 bits. */
import { serve } from "../control/Server.mjs"

/** @param {string} id */
const rounded = (id) => (/^-?\d+$/.test(id) ? String(BigInt(Number(id))) : id)

serve({ send: ({ id, ...rest }) => [id === undefined ? rest : { id: rounded(String(id)), ...rest }] })
