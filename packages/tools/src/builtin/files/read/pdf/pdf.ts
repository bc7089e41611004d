import { type Files, fail } from "@haft/core/tool";

const MAGIC = "%PDF-";

/** Refuses a PDF, whose bytes are no text even where they look like it. */
export async function refusePdf(path: string, files: Files): Promise<void> {
  if (!/\.pdf$/i.test(path) || (await files.locate(path)).kind !== "file") return;
  const head = new TextDecoder().decode(await files.bytes(path, { end: MAGIC.length }));
  if (head !== MAGIC) return;
  fail(
    "binary_file",
    `${path} is a PDF, which this host cannot turn into text.`,
    `Extract its text with Bash, page by page: pdftotext -f 1 -l 5 -layout "${path}" -`,
    { path },
  );
}
