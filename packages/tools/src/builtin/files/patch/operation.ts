/** The change of one file as written in the patch, with the paths of the patch. */
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
  /** Line number in the patch where the chunk begins. */
  readonly line: number;
  /** The texts after its `@@`: successive lines of the file that precede the change. */
  readonly headers: readonly string[];
  readonly steps: readonly ChunkStep[];
  /** Whether the change must be at the end of the file. */
  readonly atEnd: boolean;
}

/** A line of a chunk: kept, removed or added. */
export interface ChunkStep {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  /** A wholly empty line of the patch: probably a context line, but perhaps just space before what follows. */
  readonly bare?: true;
}
