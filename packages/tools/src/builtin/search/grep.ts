import { counted, defineTool, display, read, type SearchResult, text } from "@haft/core/tool";
import { type GrepMode, type GrepOutput, grepText, partlyRead } from "../support/grep-output.ts";
import { namedPath } from "../support/named-path.ts";

/** Maximum entries of one page. */
const DEFAULT_LIMIT = 250;
/** Up to this many matching lines are shown with context, unless the model sets a limit: it usually reads them next. */
const FEW = 3;
/** Lines before and after each of few. */
const AROUND_FEW = 3;
/** A call that sets one of these knows what it wants. */
const OPEN_UNLESS = ["-A", "-B", "-C", "head_limit", "offset", "multiline"] as const;

const input = {
  type: "object",
  properties: {
    pattern: {
      type: "string",
      minLength: 1,
      description: "The regular expression. No look-around.",
    },
    path: {
      type: "string",
      format: "path",
      description: "The file or folder to search. Default: the working directory.",
    },
    glob: {
      type: "string",
      minLength: 1,
      description: 'Only files that match this glob, e.g. "src/**/*.ts"; "!*.min.js" excludes files.',
    },
    type: { type: "string", minLength: 1, description: "Only files of this type, e.g. ts, py, rust." },
    output_mode: {
      type: "string",
      enum: ["files_with_matches", "content", "count"],
      description: "files_with_matches (default): paths. content: the lines. count: matching lines of each file.",
    },
    "-A": { type: "integer", minimum: 0, description: "Lines after each match (content)." },
    "-B": { type: "integer", minimum: 0, description: "Lines before each match (content)." },
    "-C": {
      type: "integer",
      minimum: 0,
      description: `Lines before and after each match (content). Default ${AROUND_FEW} for up to ${FEW} matches, else 0.`,
    },
    "-i": { type: "boolean", description: "Ignore case." },
    "-n": { type: "boolean", description: "Show line numbers (content). Default true." },
    multiline: { type: "boolean", description: "Let a match span lines." },
    head_limit: {
      type: "integer",
      minimum: 0,
      description: `Maximum number of entries. Default ${DEFAULT_LIMIT}; 0: all.`,
    },
    offset: { type: "integer", minimum: 0, description: "Entries to skip. Default 0." },
  },
  required: ["pattern"],
  additionalProperties: false,
} as const;

/** Grep: finds files and lines by content. */
export const grep = defineTool({
  name: "Grep",
  aliases: ["grep", "RipGrep", "search", "grep_search", "search_file_content"],
  rules: { specifier: "read" },
  title: "Search text",
  searchHint: "search text in files regular expression grep ripgrep",
  description: [
    "Searches the contents of files with a regular expression (ripgrep's syntax: escape literal braces and parentheses).",
    "Files that .gitignore names, binary and private ones (.env, keys) are left out.",
    "Use it instead of grep or rg in Bash. To find files by name, use Glob.",
  ].join("\n"),
  input,
  can: ["read"],
  autoExecute: true,
  effects: ({ path = "." }, ctx) => [read(namedPath(ctx, path), { tree: true })],
  observe: ({ path = "." }, ctx) => ({ path: namedPath(ctx, path) }),
  describe: ({ pattern }) => ({
    title: pattern ? `Search for ${pattern}` : "Search",
    activity: pattern ? `Searching for ${pattern}` : "Searching",
  }),
  async run(wish, ctx): Promise<GrepOutput> {
    const {
      pattern,
      path = ".",
      output_mode: mode = "files_with_matches",
      offset = 0,
      head_limit = DEFAULT_LIMIT,
    } = wish;
    const root = namedPath(ctx, path);
    const limit = head_limit === 0 ? Number.MAX_SAFE_INTEGER : head_limit;
    ctx.progress({ title: `Searching: ${pattern}`, metadata: { pattern, searchPath: root } });
    const search = (around: number) =>
      ctx.ports.files.search({
        root,
        pattern,
        want: mode === "content" ? "lines" : mode === "count" ? "counts" : "files",
        before: wish["-B"] ?? around,
        after: wish["-A"] ?? around,
        ignoreCase: wish["-i"] ?? false,
        multiline: wish.multiline ?? false,
        ...(wish.glob ? { glob: [wish.glob] } : {}),
        ...(wish.type ? { type: wish.type } : {}),
        // Counts are summed over all files, so all are needed; each takes few bytes.
        ...(mode === "count" ? { limit: Number.MAX_SAFE_INTEGER } : { limit, offset }),
        signal: ctx.signal,
      });
    const isOpen = mode === "content" && OPEN_UNLESS.every((key) => wish[key] === undefined);
    const first = await search(wish["-C"] ?? 0);
    const found = isOpen && first.total > 0 && first.total <= FEW ? await search(AROUND_FEW) : first;
    const output = outputOf(found, { mode, pattern, root, offset, limit, numbers: wish["-n"] ?? true, cwd: ctx.cwd });
    const { engine, truncated } = output;
    ctx.progress({ title: foundTitle(output), metadata: { count: output.total, truncated, engine } });
    return output;
  },
  toModel: (output) => [text(grepText(output))],
  toDisplay: (output) => {
    const { mode, matches, files, total, shown, unread } = output;
    if (shown === 0) return { kind: "text", text: grepText(output) };
    const more = total > shown ? { more: total - shown } : {};
    if (mode === "content")
      return partlyRead({ kind: "matches", matches: matches.filter((match) => !match.context), ...more }, unread);
    return partlyRead({ kind: "files", files: files.map(({ path }) => ({ path, kind: "file" })), ...more }, unread);
  },
});

interface View {
  readonly mode: GrepMode;
  readonly pattern: string;
  readonly root: string;
  readonly offset: number;
  readonly limit: number;
  readonly numbers: boolean;
  readonly cwd: string;
}

function outputOf(found: SearchResult, { cwd, limit, ...view }: View): GrepOutput {
  const near = <T extends { readonly path: string }>(entry: T): T => ({ ...entry, path: display(cwd, entry.path) });
  const page = view.mode === "count" ? found.files.slice(view.offset, view.offset + limit) : found.files;
  const shown = view.mode === "content" ? found.matches.filter((match) => !match.context).length : page.length;
  return {
    ...view,
    engine: found.engine,
    matches: found.matches.map(near),
    files: page.map(near),
    total: found.total,
    shown,
    truncated: view.offset + shown < found.total,
    ...(found.unread ? { unread: true } : {}),
    ...(view.mode === "count" ? { lines: found.files.reduce((sum, file) => sum + file.count, 0) } : {}),
  };
}

function foundTitle({ mode, total, lines }: GrepOutput): string {
  if (mode === "content") return `Found ${counted(total, "matching line")}`;
  return mode === "count"
    ? `Found ${counted(lines ?? 0, "matching line")} in ${counted(total, "file")}`
    : `Found ${counted(total, "file")}`;
}
