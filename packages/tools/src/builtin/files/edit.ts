import {
  type CallContext,
  counted,
  defineTool,
  display,
  type EffectContext,
  HaftError,
  type Problem,
  text,
  toToolError,
} from "@haft/core/tool";
import { diffDisplay, diffTexts } from "../support/diff.ts";
import { namedPath } from "../support/named-path.ts";
import { naming, withLookAround } from "../support/not-found.ts";
import { showChanged } from "../support/shown-lines.ts";
import { replaceExactly } from "./edit/exact.ts";
import { leftBehind } from "./edit/left-behind.ts";
import { editEffects, readSource, refuseStructured } from "./edit/source.ts";
import { type StrategyName, strategyWords } from "./edit/strategy-words.ts";
import { type EditWish, replacementsOf } from "./edit/wish.ts";
import { ENCODING_FIELD, guessed } from "./read/output.ts";

const passage = {
  old_string: {
    type: "string",
    description: "The text to replace, exactly as in the file, without line numbers.",
  },
  new_string: { type: "string", description: "The replacement text." },
  replace_all: {
    type: "boolean",
    description: "Replace every occurrence. Default false.",
  },
} as const;

/** The same fields in a list of edits; the model has read their descriptions. */
const samePassage = {
  old_string: { type: "string", description: "As above." },
  new_string: { type: "string", description: "As above." },
  replace_all: { type: "boolean", description: "As above." },
} as const;

const input = {
  type: "object",
  properties: {
    file_path: {
      type: "string",
      format: "path",
      minLength: 1,
      description: "The file to change. Absolute or relative path.",
    },
    ...passage,
    edits: {
      type: "array",
      minItems: 1,
      maxItems: 200,
      description:
        "Several edits, instead of old_string and new_string. Each applies to the result of the previous ones; if one fails, none is made.",
      items: {
        type: "object",
        description: "One edit.",
        properties: samePassage,
        required: ["old_string", "new_string"],
        additionalProperties: false,
      },
    },
    encoding: ENCODING_FIELD,
  },
  required: ["file_path"],
  additionalProperties: false,
} as const;

/** The output of an edit for programs. */
interface EditOutput {
  /** Absolute path. */
  readonly path: string;
  readonly replacements: number;
  /** Line numbers where the replaced passages began. */
  readonly lines: readonly number[];
  /** How the passages were found: `exact`, or the tolerated differences of each edit that needed them. */
  readonly strategies: readonly StrategyName[];
  readonly added: number;
  readonly removed: number;
  /** Unified diff. */
  readonly diff: string;
  /** Properties of the old file that the new one does not have or that were guessed, in words. */
  readonly left?: readonly string[];
  /** The file differed from what this session had read; only the passage was changed. */
  readonly changedOnDisk?: true;
}

/** Edit: replaces passages of a text file. */
export const edit = defineTool({
  name: "Edit",
  aliases: ["edit", "replace", "search_replace", "EditFile", "edit_file", "FileEdit", "MultiEdit"],
  rules: { specifier: "write", groups: ["fs", "files"], fields: ["path"] },
  title: "Edit file",
  searchHint: "edit change replace text in file",
  description: [
    "Replaces a passage of a text file, or with `edits` several.",
    "old_string must occur exactly once, character by character; add lines around it to make it unique, or set replace_all.",
    "Differences in white space, quotes or dashes are tolerated, and reported.",
    "Keeps encoding and line ends. To create a file or replace a whole one, use Write.",
  ].join("\n"),
  input,
  can: ["read", "write"],
  effects: ({ file_path }, ctx) => withLookAround(file_path, editEffects, ctx),
  observe: ({ file_path }, ctx) => ({ file_path: namedPath(ctx, file_path) }),
  validate: (wish) => problemOf(wish),
  preview: async (wish, ctx) => {
    const { path, before, after } = await plan(wish, ctx);
    return diffDisplay(path, before.shown(before.text), before.shown(after));
  },
  describe: ({ file_path }) => {
    if (!file_path) return { title: "Edit", activity: "Editing" };
    return { title: `Edit ${file_path}`, activity: `Editing ${file_path}` };
  },
  onInterrupt: "block",
  async run(wish, ctx): Promise<EditOutput> {
    const { path, before, after, lines, strategies, changedOnDisk } = await plan(wish, ctx);
    const { data, like } = before.written(after);
    const shown = { before: before.shown(before.text), after: before.shown(after) };
    // Compute the diff while the disk writes.
    const [written, { added, removed, unified }] = await Promise.all([
      ctx.ports.files.write(path, data, { expect: before.hash, ...(like ? { like } : {}) }),
      diffTexts(path, shown.before, shown.after),
    ]);
    await showChanged(ctx.ports.files, path, before, { hash: written.hash, text: after });
    const left = [...leftBehind(written), ...(before.guessed ? [guessed(before.encoding)] : [])];
    const notes = left.length > 0 ? { notes: left } : {};
    ctx.progress({
      title: `Edited ${display(ctx.cwd, path)}`,
      metadata: { path, replacements: lines.length, strategies },
      display: { kind: "diff", path, ...shown, added, removed, unified, ...notes },
    });
    const known = { path, replacements: lines.length, lines, strategies, added, removed, diff: unified };
    const output = { ...known, ...(left.length > 0 ? { left } : {}) };
    return changedOnDisk ? { ...output, changedOnDisk } : output;
  },
  toModel: (output) => [text(report(output))],
});

/** The file before and after the edit. */
async function plan(wish: EditWish, ctx: Pick<CallContext & EffectContext, "cwd" | "home" | "ports">) {
  const { ports } = ctx;
  const replacements = replacementsOf(wish);
  const path = namedPath(ctx, wish.file_path);
  const seen = await ports.files.seen(path);
  const wanted = replacements.map((replacement) => replacement.old_string);
  const before = await naming(ports.files, path, () => readSource(ports.files, path, wanted, wish.encoding));
  refuseStructured(path, before.text);
  const hasChanged = seen === undefined ? undefined : seen.hash !== before.hash;
  const guess = before.guessed ? before.encoding : undefined;
  let after = before.text;
  let lines: readonly number[] = [];
  const strategies = new Set<StrategyName>();
  for (const { label, ...replacement } of replacements) {
    const known = { ...(hasChanged === undefined ? {} : { hasChanged }), ...(guess === undefined ? {} : { guess }) };
    const refusing = { path, ...(label ? { label } : {}), ...known };
    const file = { text: after, eol: before.eol };
    // Most edits are exact. The tolerant search and its errors are loaded for the others.
    const replaced =
      replaceExactly(file, replacement) ?? (await import("./edit/replace.ts")).replaceText(refusing, file, replacement);
    after = replaced.text;
    lines = [...lines, ...replaced.lines];
    strategies.add(replaced.strategy);
  }
  const changed = hasChanged ? { changedOnDisk: true as const } : {};
  return { path, before, after, lines, strategies: [...strategies], ...changed };
}

function report({ path, replacements, lines, strategies, left = [], changedOnDisk }: EditOutput): string {
  const places = `${lines.slice(0, 20).join(", ")}${lines.length > 20 ? ", …" : ""}`;
  return [
    `Edited ${path}: ${counted(replacements, "replacement")} at line${lines.length > 1 ? "s" : ""} ${places}.`,
    ...strategies.flatMap((name) => (name === "exact" ? [] : [`Matched by ${name}: ${strategyWords[name]}.`])),
    changedOnDisk
      ? "The file had changed on disk since it was read; only this passage was touched. Read it again before relying on the rest."
      : "",
    ...left,
  ]
    .filter(Boolean)
    .join("\n");
}

function problemOf(wish: EditWish): Problem | undefined {
  try {
    replacementsOf(wish);
    return undefined;
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    return toToolError(thrown);
  }
}
