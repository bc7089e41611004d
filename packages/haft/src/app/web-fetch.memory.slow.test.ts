// The memory of many fetches, in a process of its own: the most that it ever had.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { HAFT } from "../../test/support/haft-process.ts";
import { webWorkspace } from "../../test/support/web.ts";

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const isBuilt = HAFT.length === 1;
const MODULE = fileOf(isBuilt ? "../../dist/index.mjs" : "./create-haft.ts");

const WORDS = "The harbour writes down each ship that sails at night, and which of its two lanterns is red. ".repeat(5);
const paragraph = (at: number): string =>
  `<p class="text" id="p-${at}">${WORDS}<a href="/ships/${at}" title="Ship ${at}">Ship ${at}</a> came back on <b>day ${at}</b>.</p>`;
const page = (paragraphs: number): string =>
  `<html><head><title>Lanterns</title></head><body><article><h1>Lanterns</h1>${Array.from({ length: paragraphs }, (_, at) => paragraph(at)).join("\n")}</article></body></html>`;

it("M01 5 pages of 10 KB at a time stay within memory", { tags: ["smoke"], timeout: patience(300_000) }, () =>
  fetchMany(5, 20),
);

it("M01 50 pages of 1 MB at a time stay within memory: each body is held once", { timeout: patience(300_000) }, () =>
  fetchMany(50, 2000),
);

async function fetchMany(count: number, paragraphs: number): Promise<void> {
  await using site = await webWorkspace({ "*": page(paragraphs) });
  const place = [site.workspace.cwd, `${site.workspace.base}/home`, site.server.origin, String(count)];
  const script = fileOf("../../test/support/fetch-many.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--conditions=haft-source",
    script,
    MODULE,
    ...place,
  ]);
  const { texts, grown, buffers } = JSON.parse(stdout);
  expect(new Set(texts)).toEqual(new Set([expect.stringContaining("# Lanterns")]));
  expect(grown).toBeLessThan(200);
  // The bodies that wait for their turn, each once.
  expect(buffers).toBeLessThan(40);
}
