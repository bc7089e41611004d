import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { defineTool } from "@haft/core/tool";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { type TestServer, TOKEN, testServer } from "../../haft/test/support/console-server.ts";
import { calls, finish, says, scriptedModel } from "../../haft/test/support/scripted-model.ts";
import { browserProgram, type ConsoleBrowser, consoleBrowser } from "./console-browser.ts";

const MARKUP = `<img src=x onerror="window.pwned=1"><svg onload="window.pwned=1"></svg><script>window.pwned=1</script>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.pwned=1"><script>window.pwned=1</script></svg>`;
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString("base64");

/** A picture of a few bytes that claims to have ten thousand million pixels. */
function bomb(): string {
  const png = Buffer.from(PIXEL, "base64");
  png.writeUInt32BE(100_000, 16);
  png.writeUInt32BE(100_000, 20);
  return base64(png);
}

/** Shows pictures that a program of somebody else has made. */
const Show = defineTool({
  name: "Show",
  description: "Shows pictures.",
  input: { type: "object" },
  can: [],
  effects: () => [],
  run: () => MARKUP,
  toDisplay: () => ({
    kind: "group",
    title: MARKUP,
    items: [
      { kind: "image", data: PIXEL, mediaType: "image/png", alt: "a pixel" },
      { kind: "image", data: bomb(), mediaType: "image/png", alt: "a bomb" },
      { kind: "image", data: base64(SVG), mediaType: "image/svg+xml", alt: "a drawing" },
      { kind: "terminal", text: `${MARKUP}\u001b]0;title\u0007\u001b[2J\n${"1%\r".repeat(500)}100%\n` },
      { kind: "text", text: "y".repeat(1_000_000) },
    ],
  }),
});

let built: ConsoleBrowser;
let server: TestServer;

beforeAll(async () => {
  if (browserProgram === undefined) return;
  built = await consoleBrowser();
  const model = scriptedModel([[calls("c1", "Show", {}), finish()], says("Shown."), says("Still here.")]);
  server = await testServer(model, {
    consoleFolder: built.folder,
    session: { tools: [Show], settings: false, journal: false },
  });
}, 90_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await built?.[Symbol.asyncDispose]();
});

async function open(): Promise<Page> {
  const page = await (await built.browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage();
  await page.goto(`${server.handle.url}/#token=${TOKEN}`);
  await page.waitForSelector(".nav");
  return page;
}

describe.runIf(browserProgram !== undefined)("the console", { timeout: patience(60_000) }, () => {
  it("U16 U14 shows markup of tools as text, a picture that would unpack to gigabytes as words, and stays alive", {
    tags: ["smoke"],
  }, async () => {
    const { id } = await server.ask("POST", "/api/sessions", {});
    await server.ask("POST", `/api/sessions/${id}/prompt`, { text: MARKUP, wait: true });
    const page = await open();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(`${server.handle.url}/#/s/${id}`);
    await page.getByText("too many pixels").waitFor();
    await page.getByText("image/svg+xml is not shown").waitFor();
    await page.getByText("100%").waitFor();
    await expect.poll(() => page.locator("img.picture").count()).toBe(1);
    expect(await page.evaluate(() => "pwned" in window)).toBe(false);
    expect(await page.locator("main script, .stream-scroll svg[onload]").count()).toBe(0);
    await server.ask("POST", `/api/sessions/${id}/prompt`, { text: "Are you there?", wait: true });
    await page.getByText("Still here.").waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("E24 takes a pasted megabyte, and lists 100 sessions", async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => server.ask("POST", "/api/sessions", {})));
    const page = await open();
    await page.goto(`${server.handle.url}/#/`);
    await expect.poll(() => page.locator(".session-card").count()).toBeGreaterThanOrEqual(100);
    await page.goto(`${server.handle.url}/#/s/${ids[0]!.id}`);
    const text = "z".repeat(1_000_000);
    await page.locator("textarea").first().fill(text);
    expect((await page.locator("textarea").first().inputValue()).length).toBe(text.length);
    await page.context().close();
  });

  it("U01 loads at most 250 KB of compressed scripts before the first view", async () => {
    const page = await open();
    const names = await page.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname),
    );
    const scripts = names.filter((name) => name.endsWith(".js"));
    expect(scripts.length).toBeGreaterThan(0);
    const sizes = scripts.map((name) => gzipSync(readFileSync(join(built.folder, name))).length);
    const sum = sizes.reduce((all, size) => all + size, 0);
    if (process.env.HAFT_FIGURES) console.log({ scripts, sum });
    expect(sum).toBeLessThanOrEqual(250_000);
    await page.context().close();
  });
});
