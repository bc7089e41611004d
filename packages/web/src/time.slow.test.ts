import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestServer, TOKEN, testServer } from "../../haft/test/support/console-server.ts";
import { browserProgram, type ConsoleBrowser, consoleBrowser } from "./console-browser.ts";
import { demoModels, demoSession, demoWork } from "./demo.ts";

let built: ConsoleBrowser;
let server: TestServer;
let work: string;
let page: Page;

beforeAll(async () => {
  if (browserProgram === undefined) return;
  built = await consoleBrowser();
  server = await testServer(demoModels(), {
    consoleFolder: built.folder,
    session: { rules: { allow: ["write(src/greet.ts)"] }, settings: { toolAgent: { maxToolCalls: 40 } } },
  });
  await demoSession(server);
  work = await demoWork(server);
  page = await (await built.browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage();
  await page.goto(`${server.handle.url}/#token=${TOKEN}`);
  await page.waitForSelector(".nav");
}, 90_000);

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await built?.[Symbol.asyncDispose]();
});

const goTo = (address: string): Promise<void> =>
  page.evaluate((hash) => {
    location.hash = hash;
  }, address);
const file = (name: string): string | undefined =>
  existsSync(join(server.cwd, name)) ? readFileSync(join(server.cwd, name), "utf8") : undefined;

describe.runIf(browserProgram !== undefined)("time travel in the console", { timeout: 60_000 }, () => {
  it("shows the change, the files and the context of the call that the keys lead to", { tags: ["smoke"] }, async () => {
    await goTo(`#/s/${work}/time/w4`);
    await page.getByText("Call 3 of 7").waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("heading", { name: /Edited src\/prices.ts/ }).waitFor();
    await page.getByText("4,820 tokens").waitFor();
    await page.getByRole("region", { name: "Changes of" }).getByText("1250").waitFor();
    await page.getByRole("button", { name: "src/prices.ts" }).click();
    await page.getByText("lantern: 1250, candle: 320").last().waitFor();
    await page.getByText("does not exist yet").waitFor();
  });

  it("decides the session again under other rules, and runs nothing", async () => {
    await goTo(`#/s/${work}/time/w2`);
    await page.getByText("Test other rules on this session").click();
    await page.getByRole("textbox", { name: "deny" }).fill("write(src/**)");
    await page.getByRole("combobox", { name: "mode" }).selectOption("bypassPermissions");
    await page.getByRole("button", { name: "Decide again" }).click();
    const lines = page.locator("li", { hasText: "allow → deny" });
    await lines.first().waitFor();
    expect((await lines.allTextContents()).map((line) => line.split(" ", 1)[0])).toEqual(["w2", "w5", "w7"]);
    expect(file("src/format-price.ts")).toContain("toFixed");
  });

  it("forks the session at a call: the copy knows what was before, and nothing after it", async () => {
    await goTo(`#/s/${work}/time/w2`);
    await page.getByRole("button", { name: "Fork from here" }).click();
    await page.waitForURL((url) => !url.hash.includes(work));
    await page.getByText("Prices become whole cents.").waitFor();
    await page.getByText("Edited src/prices.ts").first().waitFor();
    expect(await page.getByText("formatPrice").count()).toBe(0);
    expect(file("src/format-price.ts")).toContain("toFixed");
  });

  it("undoes everything after a call, also after one that changed nothing", async () => {
    await goTo(`#/s/${work}/time/w4`);
    await page.getByRole("button", { name: "Undo everything after it" }).click();
    await page.getByText(/paths restored/).waitFor();
    expect([file("src/format-price.ts"), file("src/main.ts")?.includes("greet")]).toEqual([undefined, true]);
    expect(file("src/prices.ts")).toContain("1250");
  });

  it("shows the agents of the session with their result and the rest of their budget", async () => {
    await goTo(`#/s/${work}/agents`);
    await page.getByRole("heading", { name: /Look for users of the prices/ }).waitFor();
    await page.getByText("Budget: 39 calls left").waitFor();
    await page.getByText("nothing imports it yet").waitFor();
  });
});
