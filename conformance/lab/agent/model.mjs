// @ts-check
// A model that follows a script, and what it costs: a turn for each answer of the model, whatever calls it makes side
// by side, and the characters of the calls and of their results.

/** @import { AgentTools, TextReply } from "../../../core/agent/AgentTools.ts" */
/** @typedef {TextReply} Reply */
/** @typedef {readonly [tool: string, args: object]} ToolCall */

export class Model {
  turns = 0
  characters = 0
  /** @type {AgentTools} */
  tools

  /** @param {AgentTools} tools */
  constructor(tools) {
    this.tools = tools
  }

  /** Makes calls side by side. @param {...ToolCall} calls @returns {Promise<Reply[]>} */
  async turn(...calls) {
    this.turns += 1
    return Promise.all(
      calls.map(async ([tool, args]) => {
        const reply = await this.tools.call(tool, args)
        this.characters += JSON.stringify(args).length + tool.length + reply.texts.join("\n").length
        return reply
      }),
    )
  }
}
