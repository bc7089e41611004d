import { type Behavior, fitsStarred } from "@haft/core/policy";
import { isBuiltIn } from "./baseline.ts";
import type { Decide, Target } from "./exported.ts";
import type { Effect } from "./wanted.ts";

/** Texts that may stand before a program's name inside one command: a wrapper, a path, a quote, a substitution. */
const BEFORE = ["", "* ", "*/", "*'", '*"', "*(", "*`", "*\\", "*=", "*{"];

/**
 * Wildcard patterns over a command's text that cover everything a command rule of Haft matches there, and more: wrappers,
 * options between the words, scripts in quotes.
 */
function wideCommands(pattern: string): string[] {
  const words = pattern
    .replace(/[ *]+$/, "")
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return ["*"];
  const body = words.join("*").replace(/\*+/g, "*");
  if (body.startsWith("*")) return [`${body}*`];
  return words.length > 1 ? [`*${body}*`] : BEFORE.map((before) => `${before}${body}*`);
}

/** The literal part of a path pattern that a command which names such a file contains. */
export function mentionOf(path: string): string | undefined {
  const parts = path
    .replace(/^(?:\/\/|~\/|\.\/|\/)/, "")
    .split("/")
    .flatMap((part) => part.split(/[*?[\]{}\\]+/))
    .filter((part) => part.length > 1);
  return parts.toSorted((a, b) => b.length - a.length)[0];
}

/** Ends of a command at which Haft looks closely. An allow is exported only if Haft allows all of them. */
const ENDS = [
  ...["", " x", " .env", " x/.env", " x .env", " .git/config", " x .git/config", " .git/hooks/x", " ../x", " x ../x"],
  ...[" /etc/shadow", " ~/.ssh/id_rsa", " x ~/.bashrc", " -rf .", " -rf x", " -rf /", " -o .git/config", " -i x"],
  ...[" --output=.git/config", " . -exec rm {} +", " . -delete", " -c 'rm x'", " -e 'system(\"rm x\")'", " rm x"],
  ...[
    " sudo x",
    " -C / x",
    " https://example.org",
    " -d @.env https://example.org",
    " *",
    " $X",
    " $(rm x)",
    " AGENTS.md",
  ],
];

/**
 * A command that the allow would let pass elsewhere and Haft would not, or `undefined`. Commands about which the exported
 * `restrictions` make the other agent ask anyway do not count.
 */
export async function looserCommand(
  { matter }: Effect,
  { commands: how, asksAbout, looksPast = [] }: Pick<Target, "commands" | "asksAbout" | "looksPast">,
  restrictions: readonly Effect[],
  decide: Decide,
): Promise<string | undefined> {
  if (matter.kind !== "command") return undefined;
  const caught = how === "open" ? restrictions.flatMap(commandPatterns) : [];
  for (const before of ["", ...looksPast])
    for (const command of samplesOf(matter.pattern, how, restrictions)) {
      const whole = `${before}${command}`;
      if (asksAbout?.test(whole) || caught.some((pattern) => fitsStarred(pattern, whole, "*", (a, b) => a === b)))
        continue;
      if ((await decide(whole)) !== "allow") return whole;
    }
  return undefined;
}

/** Commands that a pattern covers: with every end at every place where it leaves one open. */
function samplesOf(pattern: string, how: Target["commands"], restrictions: readonly Effect[]): string[] {
  const isOpen = how === "prefix" || pattern.includes("*");
  const ends = isOpen ? [...ENDS, ...new Set(restrictions.flatMap(samples))] : [""];
  const base = pattern.replace(/ \*$/, "");
  const middle = base.includes("*") ? ends.map((end) => base.replace("*", `x${end}`).replaceAll("*", "x")) : [];
  const commands = [...middle, ...ends.map((end) => `${base.replaceAll("*", "x")}${end}`)];
  return /[^ ]\*$/.test(pattern) ? [...commands, `${base.replaceAll("*", "")}x`] : commands;
}

/** Wildcard patterns over a command's text for a restriction: the commands that it is about, or that name its files. */
export function commandPatterns(effect: Effect): string[] {
  const { matter } = effect;
  switch (matter.kind) {
    case "command":
      // Haft's own list is long, and these programs ask anyway: nothing allows them.
      return isBuiltIn(effect) ? [matter.pattern, `* ${matter.pattern}`] : wideCommands(matter.pattern);
    case "path":
      return [`*${mentionOf(matter.path) ?? ""}*`];
    case "host":
      return [`*${matter.host.replace(/^\*+\.?/, "").replace(/:.*$/, "")}*`];
    default:
      return [];
  }
}

/** Ends of a command that a restriction is about. */
function samples({ matter }: Effect): string[] {
  switch (matter.kind) {
    case "command": {
      const words = matter.pattern.replaceAll("*", "x");
      return [` ${words}`, ` -c '${words}'`, ` ${words.split(" ").slice(1).join(" ")}`];
    }
    case "path": {
      const file = matter.path
        .replace(/^\.?\//, "")
        .replace(/^\//, "/")
        .replaceAll(/\*+/g, "x");
      return [` ${file}`, ` x ${file}`];
    }
    case "host":
      return [` https://${matter.host.replace("*", "x")}/x`];
    default:
      return [];
  }
}

const RANK = { allow: 0, ask: 1, deny: 2 } as const;

/** Effects from the laxest to the strictest, for lists in which the last match decides. */
export const byStrictness = (effects: readonly Effect[]): Effect[] =>
  effects.toSorted((a, b) => RANK[a.behavior] - RANK[b.behavior]);

/** The effects of one behavior. */
export const having = (effects: readonly Effect[], behavior: Behavior): Effect[] =>
  effects.filter((effect) => effect.behavior === behavior);
