import { counted, defineTool, display, type FileEntry, fail, read, text } from "@haft/core/tool";
import { globFilter } from "@haft/host/glob";
import { namedPath } from "../support/named-path.ts";

/** Maximum entries in a listing. */
const MAX_ENTRIES = 1000;

const input = {
  type: "object",
  properties: {
    path: {
      type: "string",
      format: "path",
      description: "The folder to list. Default: the working directory.",
    },
    ignore: {
      type: "array",
      items: { type: "string", minLength: 1, description: "A glob." },
      description: 'Globs of names to leave out, e.g. ["node_modules", "*.log"].',
    },
  },
  additionalProperties: false,
} as const;

/** The output of a listing for programs. */
interface LsOutput {
  /** Absolute path of the folder. */
  readonly path: string;
  /** Folders first, then by name; paths are names within the folder. */
  readonly entries: readonly FileEntry[];
  /** Total number of entries. */
  readonly count: number;
  readonly truncated: boolean;
}

/** Ls: lists a folder. */
export const ls = defineTool({
  name: "Ls",
  aliases: ["LS", "ls", "list_directory", "ReadFolder"],
  rules: { specifier: "read", groups: ["files", "search"] },
  title: "List folder",
  searchHint: "list directory folder entries files",
  description: "Lists a folder: folders first, files with their size in bytes. For subfolders, use Glob.",
  input,
  can: ["read"],
  autoExecute: true,
  override: { kind: "read", because: "a listing reads only one folder" },
  effects: ({ path = "." }, ctx) => [read(namedPath(ctx, path))],
  observe: ({ path = "." }, ctx) => ({ path: namedPath(ctx, path) }),
  describe: ({ path }) => ({ title: `List ${path ?? "."}`, activity: `Listing ${path ?? "."}` }),
  async run({ path = ".", ignore = [] }, ctx): Promise<LsOutput> {
    const folder = namedPath(ctx, path);
    const { kind } = await ctx.ports.files.locate(folder);
    if (kind === "file")
      fail("not_directory", `${folder} is a file, not a folder.`, "Read shows what is in it.", { path: folder });
    const isKept = globFilter(ignore.map((glob) => `!${glob}`));
    const all = (await ctx.ports.files.list(folder)).filter((entry) => isKept(entry.path));
    ctx.progress({ title: `Listed ${display(ctx.cwd, folder)}`, metadata: { path: folder, count: all.length } });
    const entries = all.slice(0, MAX_ENTRIES);
    return { path: folder, entries, count: all.length, truncated: entries.length < all.length };
  },
  toModel: ({ path, entries, count: total, truncated }) => {
    if (total === 0) return [text(emptyText(path))];
    const note = truncated
      ? [`[${counted(total - entries.length, "entry is", "entries are")} left out. Use Glob to look for names.]`]
      : [];
    return [text([`${path}:`, ...entries.map(entryLine), ...note].join("\n"))];
  },
  toDisplay: ({ path, entries, count: total }) => {
    if (total === 0) return { kind: "text", text: emptyText(path) };
    return { kind: "files", files: entries, ...(total > entries.length ? { more: total - entries.length } : {}) };
  },
});

const emptyText = (path: string): string => `${path} is empty.`;

/** A name with a line break would look like two entries, so such names are quoted. */
function entryLine({ path, kind, size }: FileEntry): string {
  const name = /[\n\r\t]/.test(path) ? JSON.stringify(path) : path;
  if (kind === "directory") return `${name}/`;
  if (kind === "symlink") return `${name} (link)`;
  // The name has invalid bytes: its shown form does not find it again.
  if (size === undefined && name.includes("\ufffd")) return `${name} (unreadable name)`;
  return size === undefined ? `${name} (special)` : `${name} (${size})`;
}
