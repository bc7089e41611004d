import type { SlashCommand } from "../../session/index.ts";
import type { Proposal } from "./completion.ts";

/** Milliseconds for which proposals stay as they are. */
const FRESH_MS = 10_000;

/** Proposals for the arguments of commands. They are asked for when a person types there, and `onNews` tells when they have come. */
export function argumentProposals(
  onNews: () => void,
  now: () => number = Date.now,
): (command: Pick<SlashCommand, "name" | "complete"> | undefined) => readonly Proposal[] {
  const known = new Map<string, { readonly at: number; readonly proposals: readonly Proposal[] }>();
  return (command) => {
    if (!command?.complete) return [];
    const { name } = command;
    const before = known.get(name);
    if (before && now() - before.at < FRESH_MS) return before.proposals;
    known.set(name, { at: now(), proposals: before?.proposals ?? [] });
    command.complete().then(
      (proposals) => {
        known.set(name, { at: now(), proposals });
        onNews();
      },
      () => {},
    );
    return before?.proposals ?? [];
  };
}
