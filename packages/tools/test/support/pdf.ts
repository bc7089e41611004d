// A PDF by the letter of its specification, just large enough for text on pages.

interface PdfOptions {
  /** Protected by a password that nobody knows. */
  readonly encrypted?: boolean;
  /** The text that replaces that of the first page, unchanged. */
  readonly content?: { readonly data: Uint8Array; readonly filter: string };
}

/** A document with one page for each text; an empty text is a page without any. */
export function pdfOf(pages: readonly string[], options: PdfOptions = {}): Buffer {
  const objects: (string | Buffer)[] = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${4 + index * 2} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  for (const [index, text] of pages.entries()) {
    const own = index === 0 ? options.content : undefined;
    // All lines stand on the page: what lies outside it is no text of the page.
    const height = 100 + 14 * text.split("\n").length;
    const data = own?.data ?? Buffer.from(text === "" ? "" : showing(text, height));
    const filter = own ? `/Filter ${own.filter} ` : "";
    const font = "/Resources << /Font << /F 3 0 R >> >>";
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2000 ${height}] ${font} /Contents ${5 + index * 2} 0 R >>`,
    );
    objects.push(
      Buffer.concat([Buffer.from(`<< ${filter}/Length ${data.length} >>\nstream\n`), data, Buffer.from("\nendstream")]),
    );
  }
  const lock = `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${"12".repeat(32)}> /U <${"34".repeat(32)}> >>`;
  if (options.encrypted) objects.push(lock);
  const encrypt = options.encrypted
    ? ` /Encrypt ${objects.length} 0 R /ID [<${"ab".repeat(16)}> <${"ab".repeat(16)}>]`
    : "";
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let at = parts[0]!.length;
  for (const [index, object] of objects.entries()) {
    offsets.push(at);
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n")]);
    parts.push(part);
    at += part.length;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R${encrypt} >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

function showing(text: string, height: number): string {
  const shown = text.split("\n").map((line) => `(${line.replace(/[\\()]/g, "\\$&")}) Tj T*`);
  return `BT /F 12 Tf 14 TL 50 ${height - 50} Td ${shown.join(" ")} ET`;
}
