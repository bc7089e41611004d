/**
 * The display of a call for people: a closed union that every face (terminal, web, editor) draws. Core knows no colours
 * and no components; a face knows no tool by name.
 */
export type Display =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "markdown"; readonly text: string }
  /** Output of a program. ANSI colours may be kept, cursor movements are not. */
  | { readonly kind: "terminal"; readonly text: string; readonly command?: string; readonly exitCode?: number }
  | {
      readonly kind: "diff";
      readonly path: string;
      readonly before: string;
      readonly after: string;
      readonly added: number;
      readonly removed: number;
      /** The change as a unified diff. */
      readonly unified: string;
      /** Facts about the new file that the change does not show, such as an owner that was lost. */
      readonly notes?: readonly string[];
    }
  | { readonly kind: "matches"; readonly matches: readonly Match[]; readonly more?: number }
  | { readonly kind: "files"; readonly files: readonly FileEntry[]; readonly more?: number }
  | { readonly kind: "todos"; readonly todos: readonly Todo[] }
  | {
      readonly kind: "table";
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly kind: "image"; readonly data: string; readonly mediaType: string; readonly alt: string }
  /** Words for the person, or files for them to take. Faces show them apart from everything else. */
  | { readonly kind: "message"; readonly text: string; readonly files?: readonly FileEntry[] }
  | { readonly kind: "progress"; readonly text: string; readonly done?: number; readonly total?: number }
  | { readonly kind: "group"; readonly title: string; readonly items: readonly Display[] };

/** One hit of a text search. `line` counts from 1; the ranges are character offsets within `text`. */
export interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly ranges?: readonly (readonly [start: number, end: number])[];
}

/** A file or folder in a list. */
export interface FileEntry {
  readonly path: string;
  readonly kind: "file" | "directory" | "symlink" | "other";
  /** Bytes. */
  readonly size?: number;
}

/** A step of the current work. `activeForm` is its text while it is in progress: "Running the tests". */
export interface Todo {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly activeForm?: string;
}
