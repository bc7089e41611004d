import { nearest } from "@haft/core/schema";
import type { Command } from "../../command.ts";
import { UsageError } from "../../exit-code.ts";

const subcommands: Readonly<Record<string, () => Promise<Command>>> = {
  lint: async () => (await import("./lint.ts")).lint,
  test: async () => (await import("./test.ts")).test,
  import: async () => (await import("./import.ts")).importPeer,
  export: async () => (await import("./export.ts")).exportPolicy,
  replay: async () => (await import("./replay.ts")).replay,
};

/** `haft policy lint|test|import|export|replay`: tools for people who write rules. */
export const policy: Command = async ([name, ...args]) => {
  const names = Object.keys(subcommands);
  if (name !== undefined && Object.hasOwn(subcommands, name)) return (await subcommands[name]!())(args);
  const close = name === undefined ? undefined : nearest(name, names);
  throw new UsageError(
    name === undefined ? "Which policy command?" : `There is no "haft policy ${name}".`,
    close ? `Did you mean haft policy ${close}?` : `Usage: haft policy ${names.join("|")}.`,
  );
};
