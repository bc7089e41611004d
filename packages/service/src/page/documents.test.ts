import { expect, it, vi } from "vitest";
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
    const { text } = await documents.page(page, { url: "https://a.example/", signal });
    const [allUsed, ownUsed] = [microseconds(process.cpuUsage(all)), microseconds(process.threadCpuUsage(own))];
    expect(text).toContain("carry 7499 lanterns");
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
    const { text } = await documents.page(html, { url: "https://a.example/", signal });
    expect(text).toContain("Ships carry lanterns.");
  } finally {
    await documents.close();
  }
});

it("M01 gives a page up by the processor time that it took, and says so", async () => {
  const documents = createDocuments(100);
  try {
    const options = { url: "https://a.example/", signal };
    await expect(documents.page(pageOf(30_000), options)).rejects.toMatchObject({
      code: "file_too_large",
      message: expect.stringContaining("processor time"),
    });
  } finally {
    await documents.close();
  }
});

it("M01 keeps a page that waits for a processor: a minute of wall time is not the page's", async () => {
  const documents = createDocuments();
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval", "Date"] });
  try {
    const reading = documents.page(pageOf(20), { url: "https://a.example/", signal });
    vi.advanceTimersByTime(60_000);
    expect((await reading).text).toContain("carry 19 lanterns");
  } finally {
    vi.useRealTimers();
    await documents.close();
  }
});
