// @ts-check
/** Fault: the id of every answer is a text. */
import { serve } from "../control/Server.mjs"

serve({ send: ({ id, ...rest }) => [id === undefined ? rest : { id: JSON.stringify(String(id)), ...rest }] })
