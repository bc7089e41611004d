import { expect, it } from "vitest";
import { createDocuments } from "./documents.ts";

const signal = new AbortController().signal;
const sentence = (at: number): string =>
  `<p>Ships that sail at night carry ${at} lanterns, <a href="/l/${at}">one of them</a> red, and the <b>harbour</b> writes each name down.</p>`;
const pageOf = (paragraphs: number): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(
    `<html><body><article><h1>Lanterns</h1>${Array.from({ length: paragraphs }, (_, at) => sentence(at)).join("\n")}</article></body></html>`,
  );
const microseconds = ({ user, system }: NodeJS.CpuUsage): number => user + system;

it("M01 the session's thread does almost nothing while a page of 1 MB is read", async () => {
  const documents = createDocuments();
  try {
    const page = pageOf(7_500);
    expect(page.byteLength).toBeGreaterThan(1_000_000);
    const [all, own] = [process.cpuUsage(), process.threadCpuUsage()];
    const { markdown } = await documents.page(page, { url: "https://a.example/", signal });
    const [allUsed, ownUsed] = [microseconds(process.cpuUsage(all)), microseconds(process.threadCpuUsage(own))];
    expect(markdown).toContain("carry 7499 lanterns");
    // A share of the processor's time does not depend on the load.
    expect(ownUsed / allUsed).toBeLessThan(0.2);
  } finally {
    await documents.close();
  }
});

it("M01 reads a page of 3,000 nested elements, which the search for the main text cannot finish", async () => {
  const documents = createDocuments();
  try {
    const html = new TextEncoder().encode(`<html><body>${"<div>".repeat(3_000)}Ships carry lanterns.</body></html>`);
    const { markdown } = await documents.page(html, { url: "https://a.example/", signal });
    expect(markdown).toContain("Ships carry lanterns.");
  } finally {
    await documents.close();
  }
});
