import type { Effect, EffectWord } from "./effect.ts";
import type { Kind } from "./kind.ts";
import type { Override, Tool } from "./tool.ts";

/** Properties that other systems ask a tool for one by one. In Haft they follow from the effects. */
export interface Traits {
  readonly kind: Kind;
  /** The call changes nothing anywhere. */
  readonly isReadOnly: boolean;
  /** May run in parallel with any other concurrency-safe call. */
  readonly isConcurrencySafe: boolean;
  /** Deletes, overwrites or sends: a prompt marks it and defaults to No. */
  readonly isDestructive: boolean;
  /** Every change can be undone. */
  readonly isReversible: boolean;
  /** Reaches beyond this machine, or may. */
  readonly isConsequential: boolean;
}

/**
 * The traits of one call, from its effects. An override replaces a single trait; the effects still decide what is asked
 * and what runs together.
 */
export function traitsOf(effects: readonly Effect[], override?: Override): Traits {
  const isReadOnly = override?.isReadOnly ?? effects.every(changesNothing);
  return {
    kind: override?.kind ?? kindOf(effects),
    isReadOnly,
    isConcurrencySafe:
      override?.isConcurrencySafe ?? effects.every((effect) => changesNothing(effect) || effect.do === "delegate"),
    isDestructive: override?.isDestructive ?? effects.some(destroys),
    isReversible: effects.every((effect) => effect.reversible ?? (changesNothing(effect) || isLocalWrite(effect))),
    isConsequential: effects.some(reachesOut),
  };
}

/** The traits for a tool that cannot give its own. */
const CAREFUL: Override = {
  isReadOnly: false,
  isConcurrencySafe: false,
  isDestructive: true,
  because: "the tool's own answer failed",
};

/** The overrides of a tool for a call with this input. */
export function overrideOf(tool: Pick<Tool, "override" | "overrideFor">, input: unknown): Override | undefined {
  try {
    return tool.overrideFor?.(input) ?? tool.override;
  } catch {
    return CAREFUL;
  }
}

/** The traits without an input: the worst that the static bound allows. */
export function staticTraits(can: readonly EffectWord[] = ["unknown"], override?: Override): Traits {
  const worst = traitsOf(can.map(worstOf), override);
  const mayDestroy = can.some((word) => word === "write" || word === "send" || word === "run" || word === "unknown");
  return { ...worst, isDestructive: override?.isDestructive ?? mayDestroy };
}

/** Whether a call only reads or searches, so that faces may fold several such calls into one line. */
export function lookOf({ kind, isReadOnly }: Traits): { readonly isSearch: boolean; readonly isRead: boolean } {
  return { isSearch: isReadOnly && kind === "search", isRead: isReadOnly && kind === "read" };
}

/** The real locations of the files and folders that a call touches, in the order of its effects. */
export function pathsOf(effects: readonly Effect[]): string[] {
  const paths = effects.flatMap((effect) => (effect.do === "read" || effect.do === "write" ? [effect.path] : []));
  return [...new Set(paths)];
}

/** The current activity, for a spinner, when the tool has no text of its own. `name` shortens a path. */
export function activityOf(effects: readonly Effect[], name: (path: string) => string = (path) => path): string {
  const effect = effects.find((candidate) => candidate.do !== "read") ?? effects[0];
  switch (effect?.do) {
    case "read":
      return `${effect.tree ? "Searching" : "Reading"} ${name(effect.path)}`;
    case "write":
      return `${effect.change === "delete" ? "Deleting" : "Writing"} ${name(effect.path)}`;
    case "run":
      return `Running ${effect.text.length > 60 ? `${effect.text.slice(0, 59)}…` : effect.text}`;
    case "connect":
      return `Contacting ${effect.host}`;
    case "send":
      return `Sending to ${effect.to ?? effect.channel}`;
    case "call":
      return `Calling ${effect.tool} on ${effect.server}`;
    case "delegate":
      return `Delegating to ${effect.agent}`;
    case "ask":
      return "Waiting for an answer";
    case "state":
      return `Updating ${effect.of}`;
    default:
      return "Working";
  }
}

/** Only these effects change nothing: even asking a person or starting an agent does not count as read-only. */
function changesNothing(effect: Effect): boolean {
  switch (effect.do) {
    case "read":
      return true;
    case "run":
      return effect.opaque !== true;
    case "connect":
      return !effect.sends;
    case "call":
    case "state":
      return !effect.change;
    default:
      return false;
  }
}

function destroys(effect: Effect): boolean {
  return effect.do === "send" || (effect.do === "write" && (effect.change === "delete" || effect.change === "replace"));
}

const isLocalWrite = (effect: Effect): boolean => effect.do === "write" || effect.do === "state";

function reachesOut(effect: Effect): boolean {
  if (effect.do === "connect") return effect.sends;
  if (effect.do === "call") return effect.change;
  if (effect.do === "run") return effect.opaque === true;
  return effect.do === "send" || effect.do === "unknown";
}

function kindOf(effects: readonly Effect[]): Kind {
  if (effects.length === 0) return "think";
  const words = new Set(effects.map((effect) => effect.do));
  if (words.has("run")) return "execute";
  if (words.has("unknown") || words.has("send") || words.has("call") || words.has("delegate")) return "other";
  const writes = effects.filter((effect) => effect.do === "write");
  if (writes.some((write) => write.from !== undefined)) return "move";
  if (writes.length > 0) return writes.every((write) => write.change === "delete") ? "delete" : "edit";
  if (words.has("connect")) return "fetch";
  if (words.has("read")) return effects.some((effect) => effect.do === "read" && effect.tree) ? "search" : "read";
  return "other";
}

function worstOf(word: EffectWord): Effect {
  const basis = "claimed" as const;
  switch (word) {
    case "read":
      return { do: "read", basis, path: "/" };
    case "write":
      return { do: "write", basis, path: "/", tree: true, change: "modify" };
    case "run":
      return { do: "run", basis, argv: [], text: "", cwd: "/", opaque: true };
    case "connect":
      return { do: "connect", basis, host: "", sends: true };
    case "send":
      return { do: "send", basis, channel: "" };
    case "call":
      return { do: "call", basis, server: "", tool: "", change: true };
    case "delegate":
      return { do: "delegate", basis, agent: "" };
    case "ask":
      return { do: "ask", basis };
    case "state":
      return { do: "state", basis, of: "", change: true };
    case "unknown":
      return { do: "unknown", basis, why: "" };
  }
}
