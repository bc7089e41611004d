import { modeNamed, modes } from "@haft/core/policy";
import { nearest } from "@haft/core/schema";
import { counted, fail, HaftError } from "@haft/core/tool";
import type { ReachableModel } from "../agent/index.ts";
import type { AgentSession, SessionUsage, SlashCommand } from "./session.ts";

/** The commands that every face offers. */
export const builtinCommands = (
  session: AgentSession,
  reachable: () => Promise<readonly ReachableModel[]>,
): readonly SlashCommand[] => [
  {
    name: "clear",
    description: "starts a new conversation",
    source: "builtin",
    async run() {
      session.clear();
      return { text: "The model has forgotten the conversation so far." };
    },
  },
  {
    name: "compact",
    description: "replaces the conversation with a summary",
    argumentHint: "[what to keep]",
    source: "builtin",
    async run(instructions, options) {
      const done = await session
        .compact(instructions, options?.signal ? { signal: options.signal } : {})
        .catch(stopped);
      if ("text" in done) return done;
      return {
        text: `Replaced ${counted(done.messages, "message")} with a summary. The session's file still has them.`,
      };
    },
  },
  {
    name: "cost",
    description: "shows tokens and money so far",
    source: "builtin",
    run: async () => ({ text: spendingText(session.usage) }),
  },
  {
    name: "mode",
    description: "shows or changes the mode",
    argumentHint: "[mode]",
    source: "builtin",
    complete: async () => modes.map((text) => ({ text })),
    async run(name) {
      if (name !== "") await session.setMode(modeNamed(name) ?? noMode(name));
      return { text: `Mode ${session.haft.mode}. Modes: ${modes.join(", ")}.` };
    },
  },
  {
    name: "model",
    description: "shows or changes the model",
    argumentHint: "[provider/name]",
    source: "builtin",
    complete: async () => (await reachable()).map(({ name, about }) => ({ text: name, about })),
    async run(name) {
      if (name !== "") await session.setModel(name);
      const found = name === "" ? await reachable() : [];
      return {
        text: [
          `Model ${session.model?.name ?? "none"}. /model provider/name chooses another.`,
          ...found.map((model) => `- ${model.name} (${model.about})`),
        ].join("\n"),
      };
    },
  },
];

/** A person who stops a command needs no error. */
function stopped(thrown: unknown): { readonly text: string } {
  if (HaftError.is(thrown) && thrown.code === "cancelled") return { text: thrown.message };
  throw thrown;
}

function noMode(name: string): never {
  const close = nearest(name, modes);
  return fail(
    "invalid_input",
    `There is no mode "${name}".`,
    `${close ? `Did you mean ${close}? ` : ""}Modes: ${modes.join(", ")}.`,
  );
}

function spendingText({
  requests,
  inputTokens,
  outputTokens,
  cachedTokens,
  contextTokens,
  totalTokens,
  money,
}: SessionUsage) {
  if (requests === 0) return "No request to the model yet.";
  const known = (label: string, tokens: number | undefined) =>
    tokens === undefined ? [] : [`${label} ${tokens.toLocaleString("en")}`];
  const tokens = [
    ...known("sent", inputTokens),
    ...known("of it cached", cachedTokens),
    ...known("received", outputTokens),
    ...known("in context", contextTokens),
    ...known("with agents", totalTokens),
  ];
  const cost =
    money === undefined ? "unknown: this model has no price (toolAgent.prices sets one)" : `$${money.toFixed(4)}`;
  return `${counted(requests, "request")}. Tokens: ${tokens.join(", ")}. Cost: ${cost}.`;
}
