import {
  counted,
  type Display,
  defineTool,
  display,
  type Effect,
  type Files,
  HaftError,
  move,
  type Problem,
  read,
  remove,
  text,
  toToolError,
  write,
} from "@haft/core/tool";
import { diffDisplay, diffTexts } from "../support/diff.ts";
import { showChanged } from "../support/shown-lines.ts";
import { editEffects } from "./edit/source.ts";
import { commitPatch, type Done } from "./patch/commit.ts";
import type { Operation } from "./patch/operation.ts";
import { parsePatch } from "./patch/parse.ts";
import { type FileChange, planPatch } from "./patch/plan.ts";

const input = {
  type: "object",
  properties: {
    input: {
      type: "string",
      minLength: 1,
      description: "The patch, from *** Begin Patch to *** End Patch.",
    },
  },
  required: ["input"],
  additionalProperties: false,
} as const;

/** The effect of a patch on one file. */
interface PatchedFile {
  /** Absolute path. */
  readonly path: string;
  readonly change: "added" | "modified" | "deleted" | "moved";
  /** The former absolute path of a moved file. */
  readonly from?: string;
  readonly added: number;
  readonly removed: number;
  /** Unified diff. */
  readonly diff: string;
  /** Differences that were ignored when lines were matched: `trailing-space`, `line-trim`, `unicode`. */
  readonly tolerated: readonly string[];
}

/** The output of a patch for programs. */
interface PatchOutput {
  readonly files: readonly PatchedFile[];
}

/** apply_patch: adds, changes, moves and deletes several files, all or none. */
export const applyPatch = defineTool({
  name: "apply_patch",
  aliases: ["applypatch", "apply-patch", "ApplyPatch"],
  rules: { specifier: "write", groups: ["fs", "files"], substitutes: ["Write", "Edit"] },
  title: "Apply patch",
  searchHint: "apply patch diff add update delete move several files",
  description: [
    "Adds, changes, moves and deletes several text files at once: all of the patch, or nothing.",
    "*** Begin Patch",
    "*** Add File: PATH - then its lines, each with a + in front",
    "*** Delete File: PATH",
    "*** Update File: PATH - then optionally *** Move to: NEW PATH, then changes",
    "@@ LINE - begins a change; LINE, if given, is a line of the file above it (several: class, method)",
    " context, -removed, +added - about three lines of context around a change",
    "*** End of File - after a change that must be at the end",
    "*** End Patch",
    "Changes stand in the order of the file. Add and Move to refuse a path that exists.",
  ].join("\n"),
  input,
  can: ["read", "write"],
  effects: ({ input: patch }) => boundOf(patch),
  validate: ({ input: patch }) => problemOf(patch),
  async preview({ input: patch }, { cwd, ports }) {
    return displayOf(await planPatch(parsePatch(patch), ports.files, cwd));
  },
  describe: ({ input: patch }) => {
    const paths = namedPaths(patch ?? "");
    if (paths.length === 0) return { title: "Apply patch", activity: "Patching" };
    const names = paths.length === 1 ? paths[0] : counted(paths.length, "file");
    return { title: `Patch ${names}`, activity: `Patching ${names}` };
  },
  onInterrupt: "block",
  async run({ input: patch }, { cwd, ports, progress }): Promise<PatchOutput> {
    const changes = await planPatch(parsePatch(patch), ports.files, cwd);
    const { files: target } = ports;
    const commit = () => commitPatch(changes, target);
    const all = await (changes.length > 1 && target.together ? target.together(commit) : commit());
    for (const done of all) await showDone(target, done);
    const files = await Promise.all(withoutSources(changes).map(patchedFile));
    progress({
      title: `Patched ${counted(files.length, "file")}`,
      metadata: { paths: files.map(({ path }) => display(cwd, path)) },
      display: await displayOf(changes),
    });
    return { files };
  },
  toModel: ({ files }) => [text(["Applied the patch:", ...files.map(line), ...notes(files)].join("\n"))],
});

/** The model wrote the added text itself. It knows of a moved file what it knew under the old name. */
async function showDone(files: Files, { change: { path, before, after }, hash }: Done): Promise<void> {
  if (hash === undefined) return;
  if (before) await showChanged(files, path, before, { hash, ...(after ? { text: after.text } : {}) });
  else if (after?.from === undefined) await files.show(path, { hash });
  else await showChanged(files, path, { hash }, { hash }, after.from);
}

/** Validation refuses an unreadable patch. Until then, the files that it names bound its effects. */
function boundOf(patch: string): readonly Effect[] {
  try {
    return effectsOf(parsePatch(patch));
  } catch (thrown) {
    const named = Array.from(patch.matchAll(NAMED), ([, verb, path = ""]): readonly Effect[] => {
      if (verb === "Delete File") return [read(path), remove(path)];
      return verb === "Update File" ? editEffects(path) : [write(path, "create")];
    });
    if (named.length === 0) throw thrown;
    return named.flat();
  }
}

const NAMED = /^[ \t]*\*\*\* (Add File|Delete File|Update File|Move to): (.+?)\s*$/gm;

function effectsOf(operations: readonly Operation[]): readonly Effect[] {
  return operations.flatMap((operation): readonly Effect[] => {
    const { path } = operation;
    if (operation.kind === "add") return [write(path, "create")];
    // A removed file is read too: if a later section fails, it must be restored.
    if (operation.kind === "delete") return [read(path), remove(path)];
    return operation.to === undefined ? editEffects(path) : [read(path), ...move(path, operation.to)];
  });
}

function problemOf(patch: string): Problem | undefined {
  try {
    parsePatch(patch);
    return undefined;
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    return toToolError(thrown);
  }
}

/** The paths of a patch that may still be streaming. */
const namedPaths = (patch: string): string[] =>
  Array.from(patch.matchAll(NAMED)).flatMap(([, verb, path = ""]) => (verb === "Move to" ? [] : [path]));

/** A move is one change: its old name is not also listed as deleted. */
function withoutSources(changes: readonly FileChange[]): readonly FileChange[] {
  const sources = new Set(changes.flatMap(({ after }) => (after?.from === undefined ? [] : [after.from])));
  return changes.filter(({ path, after }) => after !== undefined || !sources.has(path));
}

const textsOf = ({ before, after }: FileChange): [before: string, after: string] => [
  before?.text ?? after?.fromText ?? "",
  after?.text ?? "",
];

async function patchedFile(change: FileChange): Promise<PatchedFile> {
  const { path, before, after, tolerated } = change;
  const { added, removed, unified } = await diffTexts(path, ...textsOf(change));
  const from = after?.from === undefined ? {} : { from: after.from };
  const kind = !after ? "deleted" : after.from !== undefined ? "moved" : before ? "modified" : "added";
  return { path, change: kind, ...from, added, removed, diff: unified, tolerated };
}

async function displayOf(changes: readonly FileChange[]): Promise<Display> {
  const shown = withoutSources(changes);
  const items = await Promise.all(shown.map((change) => diffDisplay(change.path, ...textsOf(change))));
  const [only] = items;
  return items.length === 1 && only
    ? only
    : { kind: "group", title: `Patch of ${counted(items.length, "file")}`, items };
}

const letters = { added: "A", modified: "M", deleted: "D", moved: "M" } as const;

const line = ({ path, change, from }: PatchedFile): string =>
  `${letters[change]} ${from === undefined ? path : `${from} -> ${path}`}`;

const notes = (files: readonly PatchedFile[]): string[] =>
  files.flatMap(({ path, tolerated }) =>
    tolerated.length > 0
      ? [
          `Lines of ${path} were found although they differ (${tolerated.join(", ")}); lines that stay kept their bytes.`,
        ]
      : [],
  );
