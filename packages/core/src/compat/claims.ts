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

/** What a foreign tool says of a call, one by one, where ours would declare effects. */
export interface Claims {
  readonly kind: Kind;
  /** The files that it names. */
  readonly paths?: readonly string[];
  /** The addresses that it names. */
  readonly urls?: readonly string[];
  /** The call in words. */
  readonly text: string;
}

/** Every effect that a foreign tool's claims can turn into. */
export const CLAIMABLE: readonly EffectWord[] = ["read", "write", "run", "connect", "unknown"];

/**
 * Claims as effects: the widest that the kind can mean within what was named. Who claims to change something and does
 * not say what, has told nothing that could be judged: `unknown`. All of it stays a claim, and asks until a rule or the
 * host's word says otherwise.
 */
export function claimedEffects({ kind, paths = [], urls = [], text }: Claims): readonly Effect[] {
  const vague = [unknown(`${text} does not say what it would change`)];
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

/** The addresses among the values of an input. */
export const urlsIn = (input: unknown): string[] =>
  typeof input === "object" && input !== null
    ? Object.values(input).filter(
        (value): value is string => typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value),
      )
    : [];
