/** What is said of a text with bytes that are no text. */
export const DAMAGED =
  "[The file is UTF-8 with bytes that are no text; each is shown as \ufffd. Edit keeps them as they are.]";

/** What a read gives to programs. */
export interface ReadOutput {
  /** Absolute path. */
  readonly path: string;
  /** How many lines of the file (of a notebook: of its cells) are in `text`. */
  readonly lines: number;
  /** Number of the first of them; of a notebook the number of its first cell given, from 1. */
  readonly first: number;
  /** Lines of the whole file, when it was read to its end; of a notebook its cells. */
  readonly total?: number;
  readonly text: string;
  /** Whether something of the file is missing. */
  readonly truncated: boolean;
  /** What the model is told about it. */
  readonly notice?: string;
  readonly image?: ReadImage;
  /** Set for a PDF: the numbers of its pages that are given, and how many there are. `first` and `total` count pages. */
  readonly pages?: { readonly first: number; readonly last: number; readonly total: number };
  /** Set for a notebook: pictures among the outputs of its cells. */
  readonly pictures?: readonly ReadImage[];
}

/** An image as base64 text. */
export interface ReadImage {
  readonly data: string;
  readonly mediaType: string;
  /** Bytes of the image as it is given. */
  readonly bytes: number;
  /** Pixels of the image as it is given, where they are known. */
  readonly width?: number;
  readonly height?: number;
}
