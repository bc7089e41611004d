/** What a patch does to one file, as it was written. Paths are those of the patch. */
export type Operation =
  | { readonly kind: "add"; readonly path: string; readonly line: number; readonly text: string }
  | { readonly kind: "delete"; readonly path: string; readonly line: number }
  | {
      readonly kind: "update";
      readonly path: string;
      readonly line: number;
      /** The new name, if the file is moved. */
      readonly to?: string;
      readonly chunks: readonly Chunk[];
    };

/** One change within a file. */
export interface Chunk {
  /** Number of its first line in the patch. */
  readonly line: number;
  /** The texts after its `@@`: lines of the file, one below the other, that the change comes after. */
  readonly headers: readonly string[];
  readonly steps: readonly ChunkStep[];
  /** Whether the change must lie at the end of the file. */
  readonly atEnd: boolean;
}

/** A line of a chunk: one that stays, goes or comes. */
export interface ChunkStep {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  /** A wholly empty line of the patch: most likely a context line, but perhaps just space before what follows. */
  readonly bare?: true;
}
