import { needsNetwork } from "../policy/guard/external-effects.ts";
import { isPrivatePath } from "../policy/index.ts";
import type { Display, Effect } from "../tool/index.ts";
import type { ApprovalRequest } from "./request.ts";

/** How much trust an effect needs from the person who allows it, the strongest as 0. */
function rankOf(effect: Effect): number {
  switch (effect.do) {
    case "unknown":
      return 0;
    case "run":
      return effect.opaque ? (needsNetwork(effect.argv) ? 0 : 1) : 6;
    case "connect":
    case "send":
      return 2;
    case "call":
      return effect.change ? 2 : 5;
    case "write":
      return effect.unread ? 5 : effect.change === "delete" ? 3 : 4;
    case "read":
      return isPrivatePath(effect.path) ? 4 : 7;
    case "delegate":
      return 5;
    default:
      return 8;
  }
}

/** Effects in the order in which a person should read them. */
export const strongestFirst = (effects: readonly Effect[]): readonly Effect[] =>
  effects.toSorted((a, b) => rankOf(a) - rankOf(b));

/**
 * Whether the default key should mean no: data is lost, the effects of a part are unknown, or the call reaches the
 * network.
 */
export const isRisky = ({ destructive, effects }: Pick<ApprovalRequest, "destructive" | "effects">): boolean =>
  destructive || effects.some((effect) => rankOf(effect) <= 2);

/** A longer command is described by its parts. */
const WHOLE_CHARS = 120;
const MOST_PARTS = 3;

/**
 * The subject of a question, in one line and not in the model's words: the command, or the strongest parts of a long
 * one. A call without a command is described by its title.
 */
export function questionHead({ title, show, effects }: Pick<ApprovalRequest, "title" | "show" | "effects">): string {
  const whole = commandOf(show);
  const runs = strongestFirst(effects).flatMap((effect) => (effect.do === "run" ? [effect.text] : []));
  if (runs.length === 0) return title;
  if (whole !== undefined && whole.length <= WHOLE_CHARS && !whole.includes("\n")) return whole;
  const parts = [...new Set(runs)];
  const shown = parts.slice(0, MOST_PARTS).map((part) => (part.length > WHOLE_CHARS ? `${cut(part)}…` : part));
  const more = parts.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

const cut = (text: string): string => text.slice(0, WHOLE_CHARS).toWellFormed();

/** The displays of a question. A group whose title the question says already is its items. */
export const questionParts = ({ show, title }: Pick<ApprovalRequest, "show" | "title">): readonly Display[] =>
  show.kind === "group" && [title, commandOf(show)].includes(show.title) ? show.items : [show];

/** The agent that asks, for people: its ancestors, its id and its model; `undefined` for the main agent. */
export function askedBy({ agent }: Pick<ApprovalRequest, "agent">): string | undefined {
  const { id, name, path = [name ?? id], model } = agent;
  if (id === "main") return undefined;
  return `the agent ${path.join(" › ")}${path.includes(id) ? "" : ` (${id})`}${model === undefined ? "" : `, ${model}`}`;
}

/** The command in a display, if it shows one. */
export const commandOf = (show: Display): string | undefined => {
  if (show.kind === "group") return show.items.map(commandOf).find((command) => command !== undefined);
  return show.kind === "terminal" ? show.command : undefined;
};
