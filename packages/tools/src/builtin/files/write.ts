import {
  type CallContext,
  counted,
  defineTool,
  display,
  type EffectContext,
  type Files,
  fail,
  HaftError,
  type LineRange,
  type Problem,
  type TextFile,
  text,
  write as writes,
} from "@haft/core/tool";
import { diffDisplay, diffTexts } from "../support/diff.ts";
import { namedPath } from "../support/named-path.ts";
import { refuseOmission } from "../support/omission.ts";
import { leftBehind } from "./edit/left-behind.ts";
import { ENCODING_FIELD, guessed } from "./read/output.ts";

const input = {
  type: "object",
  properties: {
    file_path: {
      type: "string",
      format: "path",
      minLength: 1,
      description: "The file to write. Absolute or relative path.",
    },
    content: { type: "string", description: "The whole new content of the file." },
    encoding: ENCODING_FIELD,
  },
  required: ["file_path", "content"],
  additionalProperties: false,
} as const;

/** The output of a write for programs. */
interface WriteOutput {
  /** Absolute path. */
  readonly path: string;
  /** Bytes now on disk. */
  readonly size: number;
  readonly lines: number;
  readonly created: boolean;
  readonly added: number;
  readonly removed: number;
  /** Unified diff against the previous content. */
  readonly diff: string;
  /** Properties of the old file that the new one does not have, in words. */
  readonly left?: readonly string[];
}

/** Write: writes a whole file, new or replacing one that was read before. */
export const write = defineTool({
  name: "Write",
  aliases: ["write", "WriteFile", "write_file"],
  rules: { specifier: "write", groups: ["fs", "files"], fields: ["path"] },
  title: "Write file",
  searchHint: "write create save replace whole file content",
  description: [
    "Writes a whole file. Missing parent folders are made.",
    "An existing file must have been read in this session; its encoding, byte order mark and line ends are kept.",
    "To change a part of a file, use Edit.",
  ].join("\n"),
  input,
  can: ["write"],
  effects: ({ file_path }, ctx) => [writes(namedPath(ctx, file_path), "replace")],
  observe: ({ file_path }, ctx) => ({ file_path: namedPath(ctx, file_path) }),
  validate: ({ file_path }, ctx) => readBefore(namedPath(ctx, file_path), ctx),
  async preview({ file_path, content, encoding }, ctx) {
    const path = namedPath(ctx, file_path);
    const old = await oldText(ctx.ports.files, path, { encoding });
    checkWhole(old, content);
    return diffDisplay(path, old?.text ?? "", withEol(content, old));
  },
  describe: ({ file_path }) => {
    if (!file_path) return { title: "Write", activity: "Writing" };
    return { title: `Write ${file_path}`, activity: `Writing ${file_path}` };
  },
  onInterrupt: "block",
  async run({ file_path, content, encoding }, ctx): Promise<WriteOutput> {
    const path = namedPath(ctx, file_path);
    const old = await checkedOld(path, ctx, encoding);
    const like = old ?? (encoding === undefined ? undefined : { encoding, bom: false });
    checkWhole(old, content);
    const next = withEol(content, old);
    const before = old?.text ?? "";
    // Compute the diff while the disk writes.
    const [written, { added, removed, unified }] = await Promise.all([
      ctx.ports.files.write(path, next, { expect: old?.hash ?? "absent", ...(like ? { like } : {}) }),
      diffTexts(path, before, next),
    ]);
    await ctx.ports.files.show(path, { hash: written.hash });
    const left = [...leftBehind(written), ...(old?.guessed ? [guessed(old.encoding)] : [])];
    const notes = left.length > 0 ? { notes: left } : {};
    ctx.progress({
      title: `${old ? "Wrote" : "Created"} ${display(ctx.cwd, path)}`,
      metadata: { path, size: written.bytes },
      display: { kind: "diff", path, before, after: next, added, removed, unified, ...notes },
    });
    const lines = next === "" ? 0 : next.replace(/\r?\n$/, "").split("\n").length;
    const output = { path, size: written.bytes, lines, created: !old, added, removed, diff: unified };
    return left.length > 0 ? { ...output, left } : output;
  },
  toModel: ({ path, created, lines, added, removed, left = [] }) => {
    const size = counted(lines, "line");
    const done = created ? `Created ${path} (${size}).` : `Wrote ${path} (${size}, +${added} -${removed}).`;
    return [text([done, ...left].join("\n"))];
  },
});

/** An existing file with content may be replaced only if the session has seen all of it. */
async function readBefore(path: string, ctx: EffectContext | CallContext): Promise<Problem | undefined> {
  const { path: real, kind } = await ctx.ports.files.locate(path);
  // Neither can be read first: for links in a circle and devices, the reading below names the reason.
  if (kind === "missing" || kind === "other") return undefined;
  if (kind === "directory")
    return { code: "is_directory", message: `${path} is a folder.`, hint: "Name a file inside it." };
  const size = (await ctx.ports.files.stat(real))?.size;
  const seen = await ctx.ports.files.seen(path);
  if (seen?.whole || size === 0) return undefined;
  return { code: "read_first", ...(seen?.lines?.length ? unreadPart(path, seen.lines) : unread(path)) };
}

const unread = (path: string) => ({
  message: `${path} exists and has not been read in this session.`,
  hint: "Read it first, or use Edit to change a part of it. Or choose another name for a new file.",
});

/** Names the known part, so that only the rest is read. */
function unreadPart(path: string, known: readonly LineRange[]) {
  const [first] = known;
  const hasGap = known.length > 1 || (first && first[0] > 1);
  const named = known.slice(0, 5).map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`));
  const more = known.length > 5 ? ", …" : "";
  return {
    message: `${path} was read only in part: lines ${named.join(", ")}${more}.`,
    hint: `Read the rest of it, or use Edit to change a part.${hasGap ? " Where Read cut a line for its length, `sed -n 7p FILE` with Bash shows the whole of it." : ""}`,
  };
}

async function checkedOld(path: string, ctx: CallContext, encoding?: string): Promise<TextFile | undefined> {
  const problem = await readBefore(path, ctx);
  if (problem) fail(problem.code ?? "validation_failed", problem.message, problem.hint, { path });
  const old = await oldText(ctx.ports.files, path, { encoding, seen: await ctx.ports.files.seen(path) });
  return old;
}

/** The current text; with `seen`, refused if it differs from what the session knows. */
async function oldText(
  files: Files,
  path: string,
  { encoding, seen }: { readonly encoding?: string | undefined; readonly seen?: { readonly hash: string } | undefined },
): Promise<TextFile | undefined> {
  const { kind } = await files.locate(path);
  if (kind === "missing") return undefined;
  try {
    const old = await files.text(path, encoding === undefined ? {} : { encoding });
    if (seen && seen.hash !== old.hash)
      fail(
        "file_changed",
        `${path} has changed on disk since it was read.`,
        "Read it again, then decide what to write.",
        { path },
      );
    return old;
  } catch (thrown) {
    if (!HaftError.is(thrown) || thrown.code !== "binary_file" || kind !== "file") throw thrown;
    return fail(
      "binary_file",
      `${path} is a binary file and is not replaced by text.`,
      "Use another name, or remove it first.",
    );
  }
}

/** A new file may say that something is left out; a replaced file would lose that part. */
const checkWhole = (old: TextFile | undefined, content: string): void =>
  refuseOmission(old?.text ?? "", content, "Nothing was written. Write the whole content, or use Edit for a part.");

/** Text with the line ends of the file that it replaces. */
function withEol(content: string, old: TextFile | undefined): string {
  if (!old || old.eol === "\n" || content.includes("\r")) return content;
  return content.replaceAll("\n", old.eol);
}
