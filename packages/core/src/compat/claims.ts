import {
  connect,
  type Effect,
  type EffectWord,
  type Kind,
  move,
  read,
  remove,
  run,
  unknown,
  write,
} from "../tool/index.ts";

/** A foreign tool's separate answers about a call, in place of the effects of one of our tools. */
export interface Claims {
  readonly kind: Kind;
  /** The files that the call names. */
  readonly paths?: readonly string[];
  /** The addresses that the call names. */
  readonly urls?: readonly string[];
  /** The call in words. */
  readonly text: string;
}

/** Every effect that `claimedEffects` can return. */
export const CLAIMABLE: readonly EffectWord[] = ["read", "write", "run", "connect", "unknown"];

/**
 * Converts claims to effects: the widest meaning of the kind for the named paths and addresses. A claim to change
 * something without saying what cannot be judged: `unknown`. All effects stay claims, and ask until a rule or the host
 * allows them.
 */
export function claimedEffects({ kind, paths = [], urls = [], text }: Claims): readonly Effect[] {
  const vague = [unknown(`${text} does not declare what it would change`)];
  switch (kind) {
    case "think":
      return [];
    case "read":
      return paths.length > 0 ? paths.map((path) => read(path)) : [read(".", { tree: true })];
    case "search":
      return (paths.length > 0 ? paths : ["."]).map((path) => read(path, { tree: true }));
    case "edit":
      return paths.length > 0 ? paths.map((path) => write(path)) : vague;
    case "delete":
      return paths.length > 0 ? paths.map((path) => remove(path)) : vague;
    case "move":
      return paths.length === 2 ? move(paths[0]!, paths[1]!) : vague;
    case "execute":
      return [run({ argv: [], text, cwd: "." })];
    case "fetch":
      return urls.length > 0 ? urls.map((url) => connect(url)) : vague;
    default:
      return vague;
  }
}

/** The host's word for a tool of another shape. */
export interface Trust {
  /** Trust the tool's claim that a call only reads: such a call in the workspace does not ask. */
  readonly trust?: true;
}

/** The addresses among the values of an input. */
export const urlsIn = (input: unknown): string[] =>
  typeof input === "object" && input !== null
    ? Object.values(input).filter(
        (value): value is string => typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value),
      )
    : [];
