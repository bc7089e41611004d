// Reads saved pages and prints how much of each article is kept, and how much of the text is not of the article.
//   npm run page-cases -- PATH [COUNT]     PATH is a copy of the article extraction benchmark (github.com/scrapinghub)
// Both are counted in sequences of four words. COUNT is the number of pages, in the order of their ids (default: 30).
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createDocuments } from "../packages/service/src/page/documents.ts";

const WORDS = 4;

const [root, count = "30"] = process.argv.slice(2);
if (root === undefined || !existsSync(join(root, "ground-truth.json"))) {
  process.stderr.write("Usage: npm run page-cases -- PATH [COUNT] (a folder with html/ and ground-truth.json).\n");
  process.exit(2);
}

const truths = JSON.parse(readFileSync(join(root, "ground-truth.json"), "utf8"));
const documents = createDocuments();
const rows = [];
for (const id of Object.keys(truths).sort().slice(0, Number(count))) {
  const html = new Uint8Array(gunzipSync(readFileSync(join(root, "html", `${id}.html.gz`))));
  const options = { url: "https://example.com/a", signal: new AbortController().signal };
  const { heading, text } = await documents.page(html, options);
  rows.push(compared(sequences(truths[id].articleBody), sequences(plain(text.slice(heading.length)))));
}
await documents.close();
for (const name of ["kept", "extra"]) {
  const values = rows.map((row) => row[name]).sort((a, b) => a - b);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  console.log(`${name.padEnd(5)}  mean ${percent(mean)}  median ${percent(values[values.length >> 1])}`);
}

function compared(truth, read) {
  const sizeOf = (all) => [...all.values()].reduce((sum, n) => sum + n, 0);
  const both = [...truth].reduce((sum, [words, n]) => sum + Math.min(n, read.get(words) ?? 0), 0);
  return { kept: both / Math.max(1, sizeOf(truth)), extra: 1 - both / Math.max(1, sizeOf(read)) };
}

function sequences(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const found = new Map();
  for (let at = 0; at + WORDS <= words.length; at += 1) {
    const sequence = words.slice(at, at + WORDS).join(" ");
    found.set(sequence, (found.get(sequence) ?? 0) + 1);
  }
  return found;
}

/** Markdown without the addresses of links and pictures. */
function plain(markdown) {
  return markdown
    .replace(/!\[[^\]]*\]\((?:[^()]|\([^()]*\))*\)/g, " ")
    .replace(/\]\((?:[^()\s]|\([^()]*\))*(?:\s+"[^"]*")?\)/g, "] ")
    .replace(/<[^>]*>|&\w+;/g, " ");
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
