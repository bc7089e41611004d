import {
  type CallContext,
  counted,
  type Display,
  defineTool,
  display,
  type Effect,
  type EffectContext,
  isWithin,
  parent,
  read as reads,
  text,
  toToolError,
} from "@haft/core/tool";
import { globFilter } from "@haft/host/glob";
import { namedPath } from "../support/named-path.ts";
import { type ManyFile, readWithin, type Skipped } from "./read/many.ts";
import { type Target, targetsOf } from "./read/targets.ts";

/** Maximum files of one call. */
const MAX_FILES = 200;
/** Maximum characters of all files together. The result is never spilled to a file, so it bounds itself. */
const TOTAL_CHARS = 200_000;
/** Skip a file if fewer characters would fit: a single line may have as many. */
const LEAST_CHARS = 2000;

const input = {
  type: "object",
  properties: {
    paths: {
      type: "array",
      minItems: 1,
      maxItems: 200,
      items: { type: "string", minLength: 1, description: "A path, a folder or a glob." },
      description: 'Files, folders or globs, e.g. ["README.md", "src/**/*.ts"].',
    },
    exclude: {
      type: "array",
      items: { type: "string", minLength: 1, description: "A glob." },
      description: 'Globs of files to leave out, e.g. ["**/*.test.ts"].',
    },
  },
  required: ["paths"],
  additionalProperties: false,
} as const;

/** The output of a read of many files, for programs. */
interface ReadManyOutput {
  readonly files: readonly ManyFile[];
  /** Requested files that are not in `files`, with the reason. */
  readonly skipped: readonly Skipped[];
}

/** ReadManyFiles: reads the beginning of several text files in one call. */
export const readManyFiles = defineTool({
  name: "ReadManyFiles",
  aliases: ["read_many_files", "ReadMany"],
  rules: { specifier: "read", groups: ["files", "search"] },
  title: "Read many files",
  searchHint: "read several files at once by paths or globs",
  description: [
    "Reads several text files at once. Each begins after a line with its path.",
    `At most ${MAX_FILES} files, ${TOTAL_CHARS} characters in all, 2000 lines of each; it lists what it leaves out, and why.`,
    "Skips files that .gitignore names, unless named one by one. For a part of a large file, use Read.",
  ].join("\n"),
  input,
  can: ["read"],
  autoExecute: true,
  limits: { resultChars: Number.POSITIVE_INFINITY },
  override: { kind: "read", because: "it returns file contents, although it searches folders for them" },
  effects: async ({ paths }, ctx) => effectsOf(await targetsOf(paths, ctx, ctx.locate), ctx),
  observe: ({ paths }, ctx) => ({ paths: paths.map((path) => namedPath(ctx, path)) }),
  describe: ({ paths = [] }) => {
    const names =
      paths.length === 1 && paths[0] ? paths[0] : paths.length > 1 ? counted(paths.length, "path") : "files";
    return { title: `Read ${names}`, activity: `Reading ${names}` };
  },
  async run(wish, ctx): Promise<ReadManyOutput> {
    const { files: port } = ctx.ports;
    const targets = await targetsOf(wish.paths, ctx, port.locate);
    const skipped: Skipped[] = [];
    const files: ManyFile[] = [];
    let chars = 0;
    for (const path of await filesOf(targets, wish.exclude ?? [], ctx, skipped)) {
      ctx.signal.throwIfAborted();
      const rest = TOTAL_CHARS - chars;
      if (files.length >= MAX_FILES || rest < LEAST_CHARS) {
        const bound = rest < LEAST_CHARS ? `${TOTAL_CHARS} characters` : `${MAX_FILES} files`;
        skipped.push({ path, reason: `over the limit of ${bound}: read it in another call` });
        continue;
      }
      const file = await readWithin(path, rest, ctx);
      if ("reason" in file) skipped.push(file);
      else {
        files.push(file);
        chars += file.text.length;
      }
      ctx.progress({ title: `Reading ${display(ctx.cwd, path)} (${counted(files.length, "file")})` });
    }
    ctx.progress({
      title: `Read ${counted(files.length, "file")}${skipped.length > 0 ? `, left out ${skipped.length}` : ""}`,
      metadata: { files: files.length, skipped: skipped.length },
    });
    return { files, skipped };
  },
  toModel: ({ files, skipped }) => {
    const body = files.map(({ path, text: page, notice }) =>
      [`--- ${shownPath(path)} ---`, page, notice].filter(Boolean),
    );
    const left = skipped.length > 0 ? [["--- left out ---", ...skippedLines(skipped)]] : [];
    const none = files.length === 0 ? [[NONE]] : [];
    return [text([...none, ...body, ...left].map((lines) => lines.join("\n")).join("\n\n"))];
  },
  toDisplay: ({ files, skipped }) => {
    const shown: Display = { kind: "files", files: files.map(({ path }) => ({ path, kind: "file" })) };
    if (skipped.length === 0) return shown;
    const left: Display = {
      kind: "group",
      title: files.length === 0 ? NONE : "Left out:",
      items: [{ kind: "text", text: skippedLines(skipped).join("\n") }],
    };
    return files.length === 0 ? left : { kind: "group", title: "Read:", items: [shown, left] };
  },
});

const NONE = "No file was read.";

/**
 * A single file is its own bound. The folder that contains several files bounds them, so that a rule that denies one of
 * them is cut out of the bound and does not deny all. Files outside the working directory are bounded individually.
 */
function effectsOf(targets: readonly Target[], { cwd }: EffectContext): Effect[] {
  const [only] = targets;
  if (targets.length === 1 && only?.kind === "file") return [reads(only.path)];
  const inside = targets.filter((target) => isWithin(cwd, target.path));
  const folders = inside.map((target) => (target.kind === "tree" ? target.path : parent(target.path)));
  const common = folders.reduce<string | undefined>(
    (above, folder) => commonFolder(above ?? folder, folder),
    undefined,
  );
  const outside = targets.filter((target) => !isWithin(cwd, target.path));
  return [
    ...(common === undefined ? [] : [reads(common, { tree: true })]),
    ...outside.map((target) => reads(target.path, { tree: target.kind === "tree" })),
  ];
}

function commonFolder(a: string, b: string): string {
  let folder = a;
  while (!isWithin(folder, b)) folder = parent(folder);
  return folder;
}

/** Every requested file, once; the files of a folder by name. */
async function filesOf(targets: readonly Target[], exclude: readonly string[], ctx: CallContext, skipped: Skipped[]) {
  const isWanted = globFilter(exclude.map((glob) => `!${glob}`));
  const found: string[] = [];
  for (const target of targets) {
    if (target.kind === "file") found.push(target.path);
    else found.push(...(await expanded(target, ctx, skipped)));
  }
  const all = [...new Set(found)];
  const wanted = all.filter((path) => isWanted(display(ctx.cwd, path)));
  if (wanted.length < all.length)
    skipped.push({ path: exclude.join(", "), reason: `${counted(all.length - wanted.length, "file")} excluded` });
  return wanted;
}

async function expanded(target: Target & { kind: "tree" }, ctx: CallContext, skipped: Skipped[]): Promise<string[]> {
  try {
    const limit = MAX_FILES + 1;
    const { paths, total } = await ctx.ports.files.find({
      root: target.path,
      pattern: target.pattern,
      limit,
      signal: ctx.signal,
    });
    if (total === 0) skipped.push({ path: target.named, reason: "no file matches" });
    if (total > paths.length)
      skipped.push({
        path: target.named,
        reason: `${counted(total - paths.length, "more file")} match: use a narrower glob`,
      });
    return paths.toSorted();
  } catch (thrown) {
    ctx.signal.throwIfAborted();
    skipped.push({ path: target.named, reason: toToolError(thrown).message });
    return [];
  }
}

/** Files with the same reason are listed together. */
function skippedLines(skipped: readonly Skipped[]): string[] {
  const byReason = Map.groupBy(skipped, ({ reason }) => reason);
  return [...byReason].flatMap(([reason, all]) => {
    const names = all.slice(0, 20).map(({ path }) => shownPath(path));
    const more = all.length > 20 ? [`and ${all.length - 20} more`] : [];
    return all.length === 1
      ? [`${names[0]}: ${reason}`]
      : [`${reason}:`, ...[...names, ...more].map((name) => `  ${name}`)];
  });
}

/** A name with a line break would look like two, so such names are quoted. */
const shownPath = (path: string): string => (/[\n\r]/.test(path) ? JSON.stringify(path) : path);
