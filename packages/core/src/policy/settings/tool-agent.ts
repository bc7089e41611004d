import { AGENT_ISOLATIONS } from "../../tool/index.ts";
import { amount, count, flag, map, object, text, word } from "./shape-words.ts";

/** The keys of `toolAgent`. */
export const toolAgent = object("Agents that a tool starts.", {
  autoConfirmDangerous: flag("Approve calls that only the mode asks about. Default false."),
  isolation: word(
    "The folder of agents: a frozen copy, a git worktree, or that of their parent. Default auto.",
    AGENT_ISOLATIONS,
  ),
  maxToolCalls: count("Maximum number of calls of one agent."),
  maxAgents: count("Maximum number of agents that one session may start. Default 100.", 0),
  timeoutMs: count("Timeout of one agent in milliseconds."),
  providerId: text("The provider of their model."),
  model: text("Their model. Default: the model of the session."),
  models: map(
    "Names for models that agents may ask for, such as haiku, each with provider/name.",
    text("provider/name"),
  ),
  prices: map("Prices of models, by provider/name. Haft knows the list prices of the usual models.", {
    ...object("US dollars per million tokens.", {
      input: amount("Price of the request."),
      output: amount("Price of the answer."),
      cacheRead: amount("Price of the part that the provider reads from its cache. Default: as input."),
      cacheWrite: amount("Price of the part that the provider writes to its cache. Default: as input."),
    }),
    required: ["input", "output"],
  }),
});
