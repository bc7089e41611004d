import type { Effect, RunEffect } from "../../tool/index.ts";

/** An effect as a phrase: "writing /ws/a.ts", "running `npm test`". */
export function phrase(effect: Effect): string {
  switch (effect.do) {
    case "read":
      return `reading ${effect.tree ? "everything below " : ""}${effect.path}`;
    case "write":
      return `${effect.change === "delete" ? "deleting" : "writing"} ${effect.tree ? "below " : ""}${effect.path}`;
    case "run":
      return `running \`${shortened(effect.text || effect.argv.join(" "))}\`${within(effect)}`;
    case "connect":
      return `${effect.sends === false ? "fetching from" : "sending to"} ${effect.host || effect.url}`;
    case "send":
      return `sending to ${effect.to === undefined ? effect.channel : `${effect.to} on ${effect.channel}`}`;
    case "call":
      return `calling ${effect.tool} on ${effect.server}`;
    case "delegate":
      return `starting the agent ${effect.agent}`;
    case "state":
      return `${effect.change === false ? "reading" : "changing"} Haft's ${effect.of}`;
    case "ask":
      return "asking a person";
    case "unknown":
      return `something that cannot be judged (${shortened(effect.why.replace(/\.$/, ""))})`;
  }
}

/** The program that a command starts, if the command's text does not end with it: `find . -exec rm {} +` starts `rm {}`. */
export function startedWithin({ argv, text, wrappers = [] }: RunEffect): string | undefined {
  const inner = argv.join(" ");
  return wrappers.length === 0 || inner === "" || text.endsWith(inner) ? undefined : inner;
}

function within(run: RunEffect): string {
  const inner = startedWithin(run);
  return inner === undefined ? "" : `, which starts \`${shortened(inner)}\``;
}

/** Keeps long commands readable in a sentence; the effects hold the whole text. */
const shortened = (text: string): string => (text.length > 120 ? `${text.slice(0, 119)}…` : text);
