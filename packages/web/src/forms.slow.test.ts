import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type TestServer, TOKEN, testServer } from "../../haft/test/support/console-server.ts";
import { calls, finish, says, scriptedModel } from "../../haft/test/support/scripted-model.ts";
import { viewWorks } from "../../journal/test/support/view.ts";
import { browserProgram, type ConsoleBrowser, consoleBrowser } from "./console-browser.ts";

let built: ConsoleBrowser;
let server: TestServer;

beforeAll(async () => {
  if (browserProgram !== undefined) built = await consoleBrowser();
}, 90_000);
afterEach(() => server?.[Symbol.asyncDispose]());
afterAll(() => built?.[Symbol.asyncDispose]());

const COLOUR = {
  ...{ question: "Which colour?", header: "Colour" },
  options: [{ label: "Red", description: "warm" }, { label: "Blue" }],
};
const ROOMS = { question: "Which rooms?", multiSelect: true, options: [{ label: "Hall" }, { label: "Attic" }] };
const asks = (...questions: readonly object[]) => [calls("c1", "AskUserQuestion", { questions }), finish()];

async function open(address: string, width = 1280): Promise<Page> {
  const context = await built.browser.newContext({ viewport: { width, height: 860 } });
  const page = await context.newPage();
  await page.goto(`${server.handle.url}/#token=${TOKEN}&page=${address}`);
  await page.waitForSelector(".nav");
  return page;
}

const waiting = async () =>
  (await server.ask("GET", "/api/approvals")).approvals as readonly { request: { id: string }; digest: string }[];

describe.runIf(browserProgram !== undefined)("a form in the console", { timeout: 60_000 }, () => {
  it("P01 U09 shows each choice with its meaning, is not sent without an answer, and takes own words", {
    tags: ["smoke"],
  }, async () => {
    const options = { consoleFolder: built.folder };
    server = await testServer(scriptedModel([asks(COLOUR, ROOMS), says("Thanks.")]), options);
    const { id } = await server.ask("POST", "/api/sessions", { prompt: "Paint." });
    const page = await open(`/s/${id}`);
    const card = page.locator(".approval");
    await card.getByRole("radio", { name: "Red warm" }).waitFor();
    await card.getByRole("button", { name: /^Send/ }).click();
    await card.getByText('Which colour?" is missing').waitFor();
    await card.getByRole("radio", { name: "Blue" }).check();
    await card.getByRole("checkbox", { name: "Attic" }).check();
    await card.getByRole("textbox", { name: "Your own answer" }).first().fill("Green");
    await card.getByRole("textbox", { name: "Your own answer" }).last().fill("Roof");
    expect(await card.getByRole("radio", { name: "Blue" }).isChecked()).toBe(false);
    await card.getByRole("button", { name: /^Send/ }).click();
    await page.getByText("Thanks.").waitFor();
    const { view } = await server.ask("GET", `/api/sessions/${id}/view`);
    const rows = (view as { rows: readonly { kind: string; display?: unknown }[] }).rows;
    expect(rows.find(({ kind }) => kind === "call")?.display).toMatchObject({
      rows: [
        ["Which colour?", "Green"],
        ["Which rooms?", "Attic, Roof"],
      ],
    });
  });

  it("U18 P01 is never answered together with another form or a plan", async () => {
    const plan = [calls("c2", "ExitPlanMode", { plan: "1. Write", effects: ["write(a.txt)"] }), finish()];
    server = await testServer((name) => scriptedModel([name === "demo/plan" ? plan : asks(COLOUR), says("Done.")]), {
      consoleFolder: built.folder,
    });
    await server.ask("POST", "/api/sessions", { prompt: "Paint." });
    await server.ask("POST", "/api/sessions", { prompt: "Paint again." });
    await server.ask("POST", "/api/sessions", { prompt: "Plan.", mode: "plan", model: "demo/plan" });
    await expect.poll(async () => (await waiting()).length).toBe(3);
    const page = await open("/approvals");
    await expect.poll(() => page.locator(".approval").count()).toBe(3);
    expect(await page.getByText("questions ask for the same effects").count()).toBe(0);
    const requests = (await waiting()).map(({ request, digest }) => ({ id: request.id, digest }));
    const answer = await server.fetch("/api/approvals/answer", {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ requests, answer: { behavior: "allow" } }),
    });
    expect(answer.status).toBe(409);
    expect(await waiting()).toHaveLength(3);
  });
});

describe.runIf(browserProgram !== undefined)("a server of the project", { timeout: 60_000 }, () => {
  it("R07 U18 asks on the pages of its session, which fit a phone, and the yes starts it", async () => {
    server = await testServer(() => scriptedModel([says("Hello.")]), {
      consoleFolder: built.folder,
      session: { trusted: true },
    });
    const script = join(server.cwd, "a-folder-with-a-very-long-name-that-no-phone-can-show-in-one-line", "server.mjs");
    mkdirSync(join(server.cwd, ".haft"));
    const parts = { command: process.execPath, args: ["-e", "process.exit(3)", script] };
    server.write(".haft/settings.json", JSON.stringify({ mcpServers: { notes: parts } }));
    await server.ask("POST", "/api/sessions", { prompt: "Go." });
    await expect.poll(async () => (await waiting()).length).toBe(1);
    // Only a session that is open can start it, so the question of a closed one is over.
    await server.restart();
    expect(await waiting()).toEqual([]);
    const { id } = await server.ask("POST", "/api/sessions", { prompt: "Go on." });
    const page = await open(`/s/${id}`, 390);
    const card = page.locator(".approval");
    await card.getByText('Start the MCP server "notes" of this project').waitFor();
    expect(await card.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await page.getByRole("link", { name: "MCP", exact: true }).click();
    await page.getByText("not started").waitFor();
    await page
      .locator(".card .approval")
      .getByRole("button", { name: /^Allow once/ })
      .click();
    await page.locator(".tag", { hasText: "failed" }).waitFor();
    await page.locator(".approval").waitFor({ state: "detached" });
  });
});

describe.runIf(browserProgram !== undefined && viewWorks("user"))(
  "a dry run in the console",
  { timeout: 60_000 },
  () => {
    it("W04 U18 shows its diff, and a click applies exactly that or discards it", async () => {
      const dry = (id: string, text: string) => [
        calls(id, "Bash", { command: `echo ${text} > notes.txt`, dry_run: true }),
        finish(),
      ];
      const turns = [dry("c1", "first"), says("Look."), dry("c2", "second"), says("Look again.")];
      server = await testServer(scriptedModel(turns), { consoleFolder: built.folder });
      const notes = () => {
        const path = join(server.cwd, "notes.txt");
        return existsSync(path) ? readFileSync(path, "utf8") : undefined;
      };
      const { id } = await server.ask("POST", "/api/sessions", { prompt: "Try it." });
      const page = await open(`/s/${id}`);
      const card = page.getByRole("article", { name: "Held changes" });
      await card.getByText("first").waitFor();
      expect(notes()).toBeUndefined();
      await card.getByRole("button", { name: "Discard" }).click();
      await card.waitFor({ state: "detached" });
      expect(notes()).toBeUndefined();
      await server.ask("POST", `/api/sessions/${id}/prompt`, { text: "Again.", wait: true });
      await page.goto(`${server.handle.url}/#/journal`);
      await card.getByText("second").waitFor();
      const [{ id: name }] = (await server.ask("GET", "/api/held")).held as [{ id: string }];
      const stale = await server.ask("POST", `/api/held/${name}/commit`, { digest: "of other changes" });
      expect(stale.error).toMatchObject({ code: "conflict" });
      expect(notes()).toBeUndefined();
      await card.getByRole("button", { name: "Apply to the workspace" }).click();
      await expect.poll(notes).toBe("second\n");
      await card.waitFor({ state: "detached" });
      await page.getByText("notes.txt").waitFor();
    });
  },
);
