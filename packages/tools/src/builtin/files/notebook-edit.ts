import { type CallContext, defineTool, display, type EffectContext, fail, type Problem, text } from "@haft/core/tool";
import { diffDisplay, diffTexts } from "../support/diff.ts";
import { namedPath } from "../support/named-path.ts";
import { naming, withLookAround } from "../support/not-found.ts";
import { showChanged } from "../support/shown-lines.ts";
import { editEffects, readSource } from "./edit/source.ts";
import { deleteCell, insertCell, isSameCell, replaceCell } from "./notebook/change-cell.ts";
import { type CellType, cellIndex, type Notebook, parseNotebook, sourceOf } from "./notebook/notebook.ts";

const input = {
  type: "object",
  properties: {
    notebook_path: {
      type: "string",
      format: "path",
      minLength: 1,
      description: "The notebook (.ipynb). Absolute or relative path.",
    },
    cell_id: {
      type: "string",
      description: "The cell's id, as shown by Read. insert puts the new cell after it, or first if there is no id.",
    },
    cell_number: {
      type: "integer",
      minimum: 0,
      description: "Instead of cell_id: the cell's number from 0; with insert, that of the new cell.",
    },
    new_source: { type: "string", description: "The whole new source of the cell. Not needed for delete." },
    cell_type: {
      type: "string",
      enum: ["code", "markdown", "raw"],
      description: "Default: its current type, or code for a new cell.",
    },
    edit_mode: {
      type: "string",
      enum: ["replace", "insert", "delete"],
      description: "The action. Default replace.",
    },
  },
  required: ["notebook_path"],
  additionalProperties: false,
} as const;

interface Wish {
  readonly notebook_path: string;
  readonly cell_id?: string;
  readonly cell_number?: number;
  readonly new_source?: string;
  readonly cell_type?: CellType;
  readonly edit_mode?: "replace" | "insert" | "delete";
}

/** The output of a notebook change for programs. */
interface NotebookEditOutput {
  /** Absolute path. */
  readonly path: string;
  readonly mode: "replace" | "insert" | "delete";
  /** Number of the cell, from 0. */
  readonly cell: number;
  readonly cellId?: string;
  /** Number of cells after the change. */
  readonly cells: number;
  /** Unified diff of the cell's source. */
  readonly diff: string;
}

/** NotebookEdit: replaces, inserts or deletes one cell of a notebook. */
export const notebookEdit = defineTool({
  name: "NotebookEdit",
  aliases: ["notebook_edit", "EditNotebook"],
  rules: { specifier: "write", groups: ["files"], fields: ["cell_number"] },
  title: "Edit notebook",
  searchHint: "edit jupyter notebook ipynb cell insert delete",
  description: [
    "Replaces, inserts or deletes one cell of a Jupyter notebook (nbformat 4).",
    "A replaced code cell loses its outputs. All other cells keep every byte.",
  ].join("\n"),
  input,
  can: ["read", "write"],
  effects: ({ notebook_path }, ctx) => withLookAround(notebook_path, editEffects, ctx),
  observe: ({ notebook_path }, ctx) => ({ notebook_path: namedPath(ctx, notebook_path) }),
  validate: (wish) => problemOf(wish),
  preview: async (wish, ctx) => {
    const { path, old, next } = await plan(wish, ctx);
    return diffDisplay(path, old, next);
  },
  describe: ({ notebook_path }) => {
    if (!notebook_path) return { title: "Edit notebook", activity: "Editing a notebook" };
    return { title: `Edit notebook ${notebook_path}`, activity: `Editing ${notebook_path}` };
  },
  onInterrupt: "block",
  async run(wish, ctx): Promise<NotebookEditOutput> {
    const { path, source, after, cell, old, next, cells } = await plan(wish, ctx);
    const { data, like } = source.written(after);
    const written = await ctx.ports.files.write(path, data, { expect: source.hash, ...(like ? { like } : {}) });
    await showChanged(ctx.ports.files, path, { hash: source.hash }, written);
    const { added, removed, unified } = await diffTexts(path, old, next);
    const mode = wish.edit_mode ?? "replace";
    ctx.progress({
      title: `Edited cell ${cell} of ${display(ctx.cwd, path)}`,
      metadata: { path, mode, cell },
      display: { kind: "diff", path, before: old, after: next, added, removed, unified },
    });
    const id = mode === "delete" ? undefined : parseNotebook(path, after).cells[cell]?.id;
    return { path, mode, cell, ...(id === undefined ? {} : { cellId: id }), cells, diff: unified };
  },
  toModel: ({ path, mode, cell, cellId, cells }) => {
    const done = { replace: "Replaced", insert: "Inserted", delete: "Deleted" }[mode];
    return [text(`${done} cell ${cell}${cellId ? ` (${cellId})` : ""} of ${path}, which has ${cells} now.`)];
  },
});

function problemOf({ cell_id, cell_number, new_source, edit_mode = "replace" }: Wish): Problem | undefined {
  const code = "invalid_input" as const;
  if (cell_id !== undefined && cell_number !== undefined)
    return { code, message: "cell_id and cell_number are both given.", hint: "Use only one of them." };
  if (edit_mode !== "insert" && cell_id === undefined && cell_number === undefined)
    return { code, message: `${edit_mode} needs a cell.`, hint: "Give cell_id or cell_number; Read shows them." };
  if (edit_mode !== "delete" && new_source === undefined)
    return { code, message: `${edit_mode} needs new_source.`, hint: "Give the whole source of the cell." };
  return undefined;
}

/** The notebook before and after the change. */
async function plan(wish: Wish, ctx: Pick<CallContext & EffectContext, "cwd" | "home" | "ports">) {
  const { ports } = ctx;
  const problem = problemOf(wish);
  if (problem) fail("invalid_input", problem.message, problem.hint);
  const path = namedPath(ctx, wish.notebook_path);
  const source = await naming(ports.files, path, () => readSource(ports.files, path, []));
  const notebook = parseNotebook(path, source.text);
  const change = changed(path, notebook, wish);
  // Parse the spliced text before writing it, so that a broken notebook is never written.
  const cells = parseNotebook(path, change.after).cells.length;
  return { path, source, cells, ...change };
}

function changed(path: string, notebook: Notebook, wish: Wish) {
  const { cell_id, cell_number, new_source = "", cell_type, edit_mode = "replace" } = wish;
  const { cells } = notebook;
  if (edit_mode === "insert") {
    const index = insertIndex(path, notebook, cell_id, cell_number);
    const after = insertCell(notebook, index, new_source, cell_type ?? "code", freshId(notebook));
    return { after, cell: index, old: "", next: new_source };
  }
  const index = cellIndex(path, notebook, cell_id, cell_number);
  const cell = cells[index];
  const old = cell ? sourceOf(cell) : "";
  if (edit_mode === "delete") return { after: deleteCell(notebook, index), cell: index, old, next: "" };
  if (isSameCell(cell, new_source, cell_type))
    fail("no_change", `Cell ${index} of ${path} has this source already.`, "There is nothing left to do here.");
  return { after: replaceCell(notebook, index, new_source, cell_type), cell: index, old, next: new_source };
}

function insertIndex(path: string, notebook: Notebook, id: string | undefined, number: number | undefined): number {
  if (number !== undefined && number === notebook.cells.length) return number;
  if (number !== undefined) return cellIndex(path, notebook, undefined, number);
  return id === undefined ? 0 : cellIndex(path, notebook, id, undefined) + 1;
}

/** Eight characters, as Jupyter makes them, that no other cell uses. */
function freshId({ cells }: Notebook): string {
  const taken = new Set(cells.map((cell) => cell.id));
  let id = crypto.randomUUID().slice(0, 8);
  while (taken.has(id)) id = crypto.randomUUID().slice(0, 8);
  return id;
}
