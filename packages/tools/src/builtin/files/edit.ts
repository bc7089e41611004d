import {
  defineTool,
  display,
  type EffectContext,
  HaftError,
  type Problem,
  resolve,
  text,
  toToolError,
  write as writes,
} from "@haft/core/tool";
import { diffDisplay, diffTexts } from "../support/diff.ts";
import { naming, withLookAround } from "../support/not-found.ts";
import { checkReplacement, type Replacement, replaceText } from "../support/replace.ts";
import { count } from "../support/wording.ts";

const input = {
  type: "object",
  properties: {
    file_path: {
      type: "string",
      format: "path",
      minLength: 1,
      description: "The file to change: an absolute path, or one relative to the working directory.",
    },
    old_string: {
      type: "string",
      description: "The text to replace, exactly as it stands in the file, without line numbers.",
    },
    new_string: { type: "string", description: "The text to put in its place." },
    replace_all: {
      type: "boolean",
      description: "Replace every occurrence. Default false: old_string must occur exactly once.",
    },
  },
  required: ["file_path", "old_string", "new_string"],
  additionalProperties: false,
} as const;

/** What an edit gives to programs. */
export interface EditOutput {
  /** Absolute path. */
  readonly path: string;
  readonly replacements: number;
  /** Numbers of the lines on which the replaced passages began. */
  readonly lines: readonly number[];
  readonly added: number;
  readonly removed: number;
  /** Unified diff. */
  readonly diff: string;
  /** The file was no longer what this session had read; only the passage was changed. */
  readonly changedOnDisk?: true;
}

/** Edit: an exact passage of a file replaced by another. */
export const edit = defineTool({
  name: "Edit",
  aliases: ["edit", "replace", "search_replace", "EditFile", "edit_file", "FileEdit"],
  title: "Edit file",
  searchHint: "edit change replace text in file",
  description: [
    "Replaces a passage of a text file.",
    "old_string must stand in the file exactly once, character by character; add lines around it to make it unique, or set replace_all.",
    "Encoding and line ends of the file are kept. To create a file or to replace a whole one, use Write.",
  ].join("\n"),
  input,
  can: ["read", "write"],
  effects: ({ file_path }, ctx) => withLookAround(file_path, [writes(file_path, "modify")], ctx),
  observe: ({ file_path }, ctx) => ({ file_path: resolve(ctx.cwd, file_path) }),
  validate: (wish) => problemOf(wish),
  preview: async (wish, ctx) => {
    const { path, before, after } = await plan(wish, ctx);
    return diffDisplay(path, before.text, after.text);
  },
  describe: ({ file_path }) => {
    if (!file_path) return { title: "Edit", activity: "Editing" };
    return { title: `Edit ${file_path}`, activity: `Editing ${file_path}` };
  },
  onInterrupt: "block",
  async run(wish, ctx): Promise<EditOutput> {
    const seen = await ctx.ports.files.seen(resolve(ctx.cwd, wish.file_path));
    const { path, before, after } = await plan(wish, ctx);
    await ctx.ports.files.write(path, after.text, { expect: before.hash, like: before });
    const { added, removed, unified } = await diffTexts(path, before.text, after.text);
    ctx.progress({
      title: `Edited ${display(ctx.cwd, path)}`,
      metadata: { path, replacements: after.lines.length },
      display: { kind: "diff", path, before: before.text, after: after.text, added, removed, unified },
    });
    const hasChanged = seen !== undefined && seen.hash !== before.hash;
    const { lines } = after;
    const output = { path, replacements: lines.length, lines, added, removed, diff: unified };
    return hasChanged ? { ...output, changedOnDisk: true } : output;
  },
  toModel: ({ path, replacements, lines, changedOnDisk }) => [
    text(
      [
        `Edited ${path}: ${count(replacements, "replacement")} at line${lines.length > 1 ? "s" : ""} ${lines.slice(0, 20).join(", ")}${lines.length > 20 ? ", …" : ""}.`,
        changedOnDisk
          ? "The file had changed on disk since it was read; only this passage was touched. Read it again before relying on the rest."
          : "",
      ]
        .filter(Boolean)
        .join("\n"),
    ),
  ],
});

type Wish = Replacement & { readonly file_path: string };

/** The file as it is and as it would be. */
async function plan(wish: Wish, { cwd, ports }: Pick<EffectContext, "cwd" | "ports">) {
  checkReplacement(wish);
  const path = resolve(cwd, wish.file_path);
  const before = await naming(ports.files, path, () => ports.files.text(path));
  return { path, before, after: replaceText(path, before, wish) };
}

function problemOf(wish: Wish): Problem | undefined {
  try {
    checkReplacement(wish);
    return undefined;
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    return toToolError(thrown);
  }
}
