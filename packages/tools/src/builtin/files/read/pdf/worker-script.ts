/**
 * The script, as text, of the thread that reads a PDF. A thread starts from a file or from a text, and a separate file
 * would have to be found from the sources, the package and the bundle alike. It knows nothing but its data: `module`
 * (the path of the parser), `bytes`, `first`, `last`, `chars`. It posts `total`, then each `page`, then `end`, or
 * `failed` with the name of the error.
 */
export const WORKER_SCRIPT = `
const { parentPort, workerData } = require("node:worker_threads");
const { module: parser, bytes, first, last, chars } = workerData;

async function read() {
  const { getDocumentProxy } = await import(parser);
  const document = await getDocumentProxy(bytes, { verbosity: 0, isEvalSupported: false, disableFontFace: true, stopAtErrors: false });
  const total = document.numPages;
  parentPort.postMessage({ total });
  let left = chars;
  for (let number = first; number <= Math.min(last, total) && left > 0; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => (item.str ?? "") + (item.hasEOL ? "\\n" : "")).join("");
    left -= text.length;
    // A page can hold more than anybody may be shown.
    parentPort.postMessage({ page: { number, text: text.slice(0, chars), isCut: text.length > chars } });
    page.cleanup();
  }
  parentPort.postMessage({ end: true });
}

read().catch((error) => parentPort.postMessage({ failed: String(error?.name), why: String(error?.message).slice(0, 300) }));
`;
