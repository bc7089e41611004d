import { nearest } from "@haft/core/schema";
import type { Command } from "../../command.ts";
import { UsageError } from "../../exit-code.ts";

const verbs: Readonly<Record<string, () => Promise<Command>>> = {
  list: async () => (await import("./show.ts")).list,
  show: async () => (await import("./show.ts")).show,
  allow: async () => (await import("./give.ts")).allow,
  deny: async () => (await import("./give.ts")).deny,
};

/** `haft approvals list|show|allow|deny`: answers questions of agents that run, or ran, elsewhere. */
export const approvals: Command = async (args) => {
  const [verb = "list", ...rest] = args;
  if (verb.startsWith("-")) return (await verbs.list!())(args);
  if (Object.hasOwn(verbs, verb)) return (await verbs[verb]!())(rest);
  const close = nearest(verb, Object.keys(verbs));
  throw new UsageError(
    `There is no "approvals ${verb}".`,
    close ? `Did you mean approvals ${close}?` : `Use ${Object.keys(verbs).join(", ")}.`,
  );
};
