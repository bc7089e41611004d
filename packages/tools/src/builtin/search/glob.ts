import { counted, defineTool, display, type EffectContext, read, text } from "@haft/core/tool";
import { splitGlob } from "@haft/host/glob";
import { partlyRead, unreadNote } from "../support/grep-output.ts";
import { namedPath } from "../support/named-path.ts";

/** Maximum files returned. */
const DEFAULT_LIMIT = 100;

const input = {
  type: "object",
  properties: {
    pattern: {
      type: "string",
      minLength: 1,
      description: 'A glob, e.g. "**/*.ts" or "src/**/*.{js,jsx}". Without a slash it matches names in every folder.',
    },
    path: {
      type: "string",
      format: "path",
      description: "The folder to search. Default: the working directory.",
    },
  },
  required: ["pattern"],
  additionalProperties: false,
} as const;

/** The output of a file search for programs. */
interface GlobOutput {
  readonly pattern: string;
  /** Absolute path of the folder that was searched. */
  readonly searchPath: string;
  /** Newest first; files below the working directory have relative paths. */
  readonly files: readonly string[];
  /** Total number of matches. */
  readonly count: number;
  readonly truncated: boolean;
  /** Some places could not be read, so there may be more. */
  readonly unread?: true;
}

/** Glob: finds files by name, newest first. */
export const glob = defineTool({
  name: "Glob",
  aliases: ["glob", "find_files", "find"],
  rules: { specifier: "read" },
  title: "Find files",
  searchHint: "find files by name pattern glob",
  description: [
    "Finds files by a glob pattern, newest first.",
    `At most ${DEFAULT_LIMIT} paths and their total. Skips files that .gitignore names, not hidden ones.`,
    "To search contents, use Grep.",
  ].join("\n"),
  input,
  can: ["read"],
  autoExecute: true,
  effects: (wish, ctx) => [read(target(wish, ctx).root, { tree: true })],
  observe: (wish, ctx) => ({ path: namedPath(ctx, wish.path ?? ".") }),
  describe: ({ pattern }) => ({
    title: pattern ? `Find ${pattern}` : "Find files",
    activity: pattern ? `Searching: ${pattern}` : "Searching",
  }),
  async run(wish, ctx): Promise<GlobOutput> {
    const { root, rest } = target(wish, ctx);
    ctx.progress({ title: `Searching: ${wish.pattern}`, metadata: { pattern: wish.pattern, searchPath: root } });
    const found = await ctx.ports.files.find({
      root,
      pattern: rest,
      limit: DEFAULT_LIMIT,
      signal: ctx.signal,
      onCount: (seen) => ctx.progress({ title: `Searching: ${wish.pattern} (${counted(seen, "file")})` }),
    });
    const truncated = found.paths.length < found.total;
    ctx.progress({ title: `Found ${counted(found.total, "file")}`, metadata: { count: found.total, truncated } });
    const files = found.paths.map((path) => display(ctx.cwd, path));
    const { total: count, unread } = found;
    return { pattern: wish.pattern, searchPath: root, files, count, truncated, ...(unread ? { unread } : {}) };
  },
  toModel: (output) => [text(globText(output))],
  toDisplay: (output) => {
    const { files, count: total, unread } = output;
    if (total === 0) return { kind: "text", text: globText(output) };
    const more = total > files.length ? { more: total - files.length } : {};
    return partlyRead({ kind: "files", files: files.map((path) => ({ path, kind: "file" })), ...more }, unread);
  },
});

/** The result as the model reads it. */
function globText({ pattern, searchPath, files, count: total, truncated, unread }: GlobOutput): string {
  const doubt = unread ? [unreadNote] : [];
  if (total === 0) return [`No file matches ${pattern} in ${searchPath}.`, ...doubt].join("\n");
  const note = truncated
    ? [`[The newest ${files.length} of ${counted(total, "file")}. Use a narrower pattern or path for the others.]`]
    : [];
  return [...files.map(shownPath), ...note, ...doubt].join("\n");
}

/** The folder that contains all matches, and the pattern relative to it. */
function target({ pattern, path = "." }: { pattern: string; path?: string }, ctx: Pick<EffectContext, "cwd" | "home">) {
  const { base, rest } = splitGlob(pattern);
  return { root: namedPath({ ...ctx, cwd: namedPath(ctx, path) }, base === "" ? "." : base), rest };
}

/** A name with a line break would look like two, so such names are quoted. */
const shownPath = (path: string): string => (/[\n\r]/.test(path) ? JSON.stringify(path) : path);
