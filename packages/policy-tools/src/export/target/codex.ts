import { isBuiltIn } from "../baseline.ts";
import { having } from "../commands.ts";
import type { Notes, Target } from "../exported.ts";
import type { Effect } from "../wanted.ts";

/** Programs that Codex runs without asking and that show files by name. Haft asks where such a file is private or outside of the workspace. */
const READERS = [
  ...["base64", "cat", "cut", "find", "grep", "head", "ls", "nl", "paste", "rev", "rg", "sed", "sort", "stat", "tail"],
  ...["tac", "uniq", "wc"],
];
const GIT_READERS = ["diff", "log", "show", "status", "branch", "cat-file", "grep"];

/** Codex's execution rules. They know the first words of a command and nothing else, and the strictest counts. */
export const codex: Target = {
  file: ".codex/rules/haft.rules",
  commands: "prefix",
  // A script with more than plain words is one command to it, which no prefix matches.
  asksAbout: /[$`<>(){}\\]/,
  write(effects, notes) {
    const lines = [
      ...having(effects, "allow").flatMap((effect) => allowed(effect, notes)),
      ...READERS.map((name) => rule([name], "prompt", "Haft asks before private files are read")),
      ...GIT_READERS.map((name) => rule(["git", name], "prompt", "Haft asks before private files are read")),
      ...having(effects, "ask").flatMap((effect) => restricted(effect, "prompt", notes)),
      ...having(effects, "deny").flatMap((effect) => restricted(effect, "forbidden", notes)),
    ];
    notes(
      "stricter",
      undefined,
      `These ask, because they may show private files and files elsewhere: ${READERS.join(", ")}, git ${GIT_READERS.join(", ")}.`,
    );
    notes(
      "weaker",
      undefined,
      'Codex rules only match commands. Set approval_policy = "untrusted" and sandbox_mode = "read-only" in config.toml, so that changes of files ask. A denied command behind a wrapper, an option or a script asks.',
    );
    return `${[...new Set(lines)].join("\n")}\n`;
  },
};

const rule = (words: readonly string[], decision: string, why?: string): string =>
  `prefix_rule(pattern=${JSON.stringify(words)}, decision=${JSON.stringify(decision)}${why === undefined ? "" : `, justification=${JSON.stringify(why)}`})`;

function allowed(effect: Effect, notes: Notes): string[] {
  const { matter } = effect;
  const words = matter.kind === "command" ? plainWords(matter.pattern) : undefined;
  if (words === undefined || matter.kind !== "command" || matter.pattern.replace(/ \*$/, "") !== words.join(" ")) {
    notes("stricter", effect, "Left out, so it asks: Codex's rules say only how a command begins.");
    return [];
  }
  notes("same", effect, `It is now the prefix ${words.join(" ")}.`);
  return [rule(words, "allow")];
}

function restricted(effect: Effect, decision: string, notes: Notes): string[] {
  const { matter, behavior } = effect;
  if (matter.kind === "command") {
    const words = plainWords(matter.pattern);
    if (words !== undefined) {
      const isWhole = matter.pattern.replace(/ \*$/, "") === words.join(" ");
      if (!isBuiltIn(effect)) notes(isWhole ? "same" : "stricter", effect, `It is now the prefix ${words.join(" ")}.`);
      return [rule(words, decision)];
    }
  }
  if (isBuiltIn(effect)) return [];
  // With the settings that the note about all rules names, whatever no rule allows asks.
  if (behavior === "ask")
    notes("same", effect, "Nothing to write: no rule allows it, so it asks under the settings named below.");
  else notes("error", effect, "Codex's rules cannot deny it. Run haft hook install codex, which decides each call.");
  return [];
}

/** The words before the first wildcard, or `undefined` if a rule cannot contain them. */
function plainWords(pattern: string): string[] | undefined {
  const words = pattern.split(/\s+/);
  const star = words.findIndex((word) => word.includes("*"));
  const plain = star < 0 ? words : words.slice(0, star);
  return plain.length === 0 || plain.some((word) => !/^[^\s'"\\`$|&;<>()]+$/.test(word)) ? undefined : plain;
}
