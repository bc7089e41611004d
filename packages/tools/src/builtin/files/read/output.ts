/** The note on a text with invalid bytes. */
export const DAMAGED = "[The file is UTF-8 with invalid bytes, each shown as \ufffd. Edit preserves them.]";

/** The note on a text whose encoding nothing proves. */
export const guessed = (encoding: string): string =>
  `[The encoding ${encoding} is a guess. If characters look wrong, pass the right one as encoding.]`;

/** The input field of tools that read texts. */
export const ENCODING_FIELD = {
  type: "string",
  minLength: 1,
  description: "Encoding, if guessed wrongly: shift_jis.",
} as const;

/** The output of a read for programs. */
export interface ReadOutput {
  /** Absolute path. */
  readonly path: string;
  /** Number of lines in `text`; for a notebook, number of cells. */
  readonly lines: number;
  /** Number of the first line, from 1; for a notebook, number of the first returned cell. */
  readonly first: number;
  /** Lines of the whole file if it was read to its end; for a notebook, its cells. */
  readonly total?: number;
  readonly text: string;
  /** Whether part of the file is missing. */
  readonly truncated: boolean;
  /** A note about it to the model. */
  readonly notice?: string;
  readonly image?: ReadImage;
  /** For a PDF: the range of returned pages, and the page count. `first` and `total` then count pages. */
  readonly pages?: { readonly first: number; readonly last: number; readonly total: number };
  /** For a notebook: pictures in the outputs of its cells. */
  readonly pictures?: readonly ReadImage[];
}

/** An image as base64 text. */
export interface ReadImage {
  readonly data: string;
  readonly mediaType: string;
  /** Bytes of the returned image. */
  readonly bytes: number;
  /** Pixels of the returned image, if known. */
  readonly width?: number;
  readonly height?: number;
}
