import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { script, treeModel, turn } from "../../haft/test/support/agents.ts";
import { OTHER_TOKEN, type TestServer, TOKEN, testServer } from "../../haft/test/support/console-server.ts";
import { calls, finish, says, scriptedModel } from "../../haft/test/support/scripted-model.ts";
import { browserProgram, type ConsoleBrowser, consoleBrowser, hearSockets } from "./console-browser.ts";

let built: ConsoleBrowser;
let server: TestServer;

beforeAll(async () => {
  if (browserProgram !== undefined) built = await consoleBrowser();
}, 90_000);
afterEach(() => server?.[Symbol.asyncDispose]());
afterAll(() => built?.[Symbol.asyncDispose]());

/** Sessions whose model writes a file of this name, each with its question. */
async function asking(...names: readonly string[]): Promise<readonly string[]> {
  const left = [...names];
  const writes = (name = "a.txt") => calls("c1", "Write", { file_path: name, content: "as proposed\n" });
  server = await testServer(() => scriptedModel([[writes(left.shift()), finish()], says("Done.")]), {
    consoleFolder: built.folder,
    port: await freePort(),
  });
  const ids: string[] = [];
  for (const [at] of names.entries()) {
    ids.push(String((await server.ask("POST", "/api/sessions", { prompt: "Write it." })).id));
    await expect.poll(async () => (await waiting()).length).toBe(at + 1);
  }
  return ids;
}

const waiting = async () => (await server.ask("GET", "/api/approvals")).approvals as readonly { session: string }[];

async function open(address: string, token = TOKEN): Promise<Page> {
  const context = await built.browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  await page.addInitScript(hearSockets);
  await page.goto(`${server.handle.url}/#token=${token}&page=${address}`);
  await page.waitForSelector(".nav");
  return page;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

const written = (name: string): string | undefined =>
  existsSync(join(server.cwd, name)) ? readFileSync(join(server.cwd, name), "utf8") : undefined;

describe.runIf(browserProgram !== undefined)("a question in the console", { timeout: 60_000 }, () => {
  it("U18 is answered by keys only while it has the focus, and Escape in a dialog stops nothing", {
    tags: ["smoke"],
  }, async () => {
    const [id] = await asking("a.txt");
    const page = await open(`/s/${id}`);
    await page.waitForSelector(".approval");
    // Stray keys: nothing has the focus, then a field has it.
    await page.keyboard.press("y");
    await page.getByRole("textbox", { name: "Prompt" }).fill("y");
    await page.locator("h1").click();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(await waiting()).toHaveLength(1);
    await page.keyboard.press("q");
    expect(await page.evaluate(() => document.activeElement?.className)).toContain("approval");
    await page.keyboard.press("y");
    await page.getByText("Allowed by ann").first().waitFor({ state: "attached" });
    await expect.poll(() => written("a.txt")).toBe("as proposed\n");
  });

  it("U11 F23 takes an edit of the proposed change, which is decided again and then runs", async () => {
    const [id] = await asking("a.txt");
    const page = await open(`/s/${id}`);
    await page.waitForSelector(".approval");
    await page.keyboard.press("q");
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "content", exact: true }).fill("as edited\n");
    await page.getByRole("button", { name: "Done editing" }).click();
    await page.getByText("You changed the input.").waitFor();
    expect(written("a.txt")).toBeUndefined();
    await page.getByRole("button", { name: /^Allow once/ }).click();
    await expect.poll(() => written("a.txt")).toBe("as edited\n");
  });

  it("U09 U18 is not answered by a click that was meant for the one before, which has just gone", async () => {
    await asking("a.txt", "b.txt");
    const page = await open("/approvals");
    await page.locator(".approval").nth(1).waitFor();
    await page.evaluate(() => {
      const list = document.querySelector(".approvals")!;
      new MutationObserver((_, observer) => {
        observer.disconnect();
        list.querySelector("button.allow")!.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
        document.body.dataset.clicked = "yes";
      }).observe(list, { childList: true });
    });
    await page.locator(".approval button.allow").first().click();
    await page.waitForSelector("[data-clicked]");
    await page.getByText("allowed by").first().waitFor();
    await expect.poll(() => written("a.txt")).toBe("as proposed\n");
    expect(await waiting()).toHaveLength(1);
    await expect
      .poll(async () => {
        if ((await waiting()).length > 0) await page.locator(".approval button.allow").click();
        return written("b.txt");
      })
      .toBe("as proposed\n");
  });

  it("U09 shows the whole command, with any words that the model has for it", async () => {
    const input = { command: "echo one > a.txt && rm -r b\necho two", description: "Look around" };
    server = await testServer(scriptedModel([[calls("c1", "Bash", input), finish()]]), { consoleFolder: built.folder });
    const { id } = await server.ask("POST", "/api/sessions", { prompt: "Go." });
    const page = await open(`/s/${id}`);
    const card = page.locator(".approval");
    await card.getByText(`$ ${input.command}`).waitFor();
    expect(await card.locator("h3").innerText()).toContain("rm -r b");
    expect(await card.innerText()).toContain("described as: Look around");
  });

  it("S11 U09 names the agent that asks, its model, and the file of the workspace", async () => {
    const part = { description: "a part", prompt: "Part", isolation: "base" };
    const model = treeModel({
      Start: script(turn(["Agent", part]), "Done."),
      Part: script(turn(["Write", { file_path: "a.txt", content: "new\n" }]), "Done."),
    });
    server = await testServer(model, { consoleFolder: built.folder });
    const { id } = await server.ask("POST", "/api/sessions", { prompt: "Start." });
    const page = await open(`/s/${id}`);
    const card = page.locator(".approval");
    await card.getByText("asked by the agent general (a1), test/scripted").waitFor();
    expect(await card.innerText()).toContain("asks before writing a.txt inside the workspace");
    await page.keyboard.press("q");
    await page.keyboard.press("y");
    await expect.poll(() => written("a.txt")).toBe("new\n");
    expect(await page.locator("body").innerText()).not.toContain("/frozen/");
  });

  it("U18 is answered together with others only if their effects are equal", async () => {
    await asking("a.txt", "a.txt", "b.txt");
    const page = await open("/approvals");
    await page.getByText("2 questions ask for the same effects").waitFor();
    await expect.poll(() => page.locator(".approval").count()).toBe(3);
    await page.getByRole("button", { name: "Deny all" }).click();
    await expect.poll(async () => (await waiting()).length).toBe(1);
    await page.getByText("b.txt").first().waitFor();
    await expect.poll(() => page.getByRole("button", { name: /all/ }).count()).toBe(0);
    expect([written("a.txt"), written("b.txt")]).toEqual([undefined, undefined]);
  });

  it("U18 has one answer when two people answer, and both see who gave it", async () => {
    const [id] = await asking("a.txt");
    const [ann, ben] = [await open(`/s/${id}`), await open("/approvals", OTHER_TOKEN)];
    const allow = (page: Page) => page.getByRole("button", { name: /^Allow once/ });
    await Promise.all([allow(ann).waitFor(), allow(ben).waitFor()]);
    // The later click may find the question gone.
    const timeout = patience(5_000);
    const deny = ben.getByRole("button", { name: /^Deny/ });
    await Promise.allSettled([allow(ann).click({ timeout }), deny.click({ timeout })]);
    const told = ben.getByText(/(?:allowed by ann|denied by ben)/);
    await told.waitFor();
    const isAllowed = (await told.textContent())?.includes("allowed") === true;
    const words = isAllowed ? "Allowed by ann" : "Denied by ben";
    await ann.getByText(words).first().waitFor({ state: "attached" });
    await expect.poll(() => written("a.txt")).toBe(isAllowed ? "as proposed\n" : undefined);
  });

  it("U18 that was answered while the connection was lost is over when it is back", async () => {
    const [id] = await asking("a.txt");
    const page = await open(`/s/${id}`);
    await page.waitForSelector(".approval");
    const cut = page.route("**/api/about", (route) => route.abort());
    await cut;
    await page.evaluate(() => {
      for (const socket of (window as unknown as { haftSockets: WebSocket[] }).haftSockets) socket.close();
    });
    await page.getByText("The connection to the server is lost.").waitFor();
    const [{ request }] = (await server.ask("GET", "/api/approvals")).approvals as [{ request: { id: string } }];
    await server.fetch(`/api/approvals/${request.id}/answer`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${OTHER_TOKEN}` },
      body: JSON.stringify({ answer: { behavior: "allow" } }),
    });
    await expect.poll(() => written("a.txt")).toBe("as proposed\n");
    // A click that comes too late changes nothing, and says why.
    await page.getByRole("button", { name: /^Deny/ }).click();
    await page.getByText("Somebody else answered first").waitFor();
    await page.unroute("**/api/about");
    await page.getByText("Allowed by ben").first().waitFor({ state: "attached" });
    await page.locator(".approval").waitFor({ state: "detached" });
    await page.locator(".offline").waitFor({ state: "detached" });
  });

  it("U18 in a tab of an earlier server asks for the address of the new one, and gives no answer", async () => {
    const [id] = await asking("a.txt");
    const page = await open(`/s/${id}`);
    await page.waitForSelector(".approval");
    await server.restart(scriptedModel([]));
    await page.getByText("A server that is started again has a new one.").waitFor();
    expect(await page.locator(".approval").count()).toBe(0);
    expect(written("a.txt")).toBeUndefined();
  });
});
