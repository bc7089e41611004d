import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { type TestServer, TOKEN, testServer } from "../../haft/test/support/console-server.ts";
import { scriptedModel } from "../../haft/test/support/scripted-model.ts";
import { browserProgram, type ConsoleBrowser, consoleBrowser, hearSockets } from "./console-browser.ts";

const shots = process.env.HAFT_SHOTS;
let built: ConsoleBrowser;
let server: TestServer;
let page: Page;
let id: string;
let calls = 0;

beforeAll(async () => {
  if (browserProgram === undefined) return;
  built = await consoleBrowser();
  const app = fileURLToPath(new URL("../../haft/test/support/app-server.mjs", import.meta.url));
  const mcpServers = { sales: { command: process.execPath, args: [app] } };
  server = await testServer(scriptedModel([]), {
    consoleFolder: built.folder,
    session: { settings: { mcpServers, permissions: { allow: ["mcp__sales"] } } },
  });
  id = String((await server.ask("POST", "/api/sessions", {})).id);
  page = await (await built.browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.addInitScript(hearSockets);
  await page.goto(`${server.handle.url}/#token=${TOKEN}&page=/s/${id}`);
  await page.waitForSelector(".composer, textarea");
  expect(page.url()).not.toContain("token");
}, 90_000);

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await built?.[Symbol.asyncDispose]();
});

interface Answer {
  readonly success: boolean;
  readonly result?: { readonly output: Readonly<Record<string, unknown>> };
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}
const run = async (toolId: string, input: object): Promise<Answer> =>
  (await server.ask("POST", `/api/sessions/${id}/calls`, {
    ...{ toolId, arguments: input, messageId: `t${++calls}` },
  })) as unknown as Answer;
const canvas = (input: object): Promise<Answer> => run("canvas", input);
const shown = (): FrameLocator => page.frameLocator(".canvas-frame").frameLocator("iframe");

/** A server that only counts. */
async function listening(requests: (string | undefined)[]) {
  const http = createServer(({ url }, response) => {
    requests.push(url);
    response.end();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void http.close() };
}

const PAGE = `<!doctype html><title>Sales</title><style>button { font-size: 20px; padding: 8px 16px; } body { font-family: sans-serif; }</style>
<h1>Sales of the week</h1><p>Twelve lanterns.</p><button>Save</button><p id="said"></p>
<script>
document.querySelector("button").onclick = () => {
  haft.call("Write", { file_path: "sales.txt", content: "twelve" }).then(
    () => { said.textContent = "Saved."; }, (error) => { said.textContent = "Refused: " + error.message; });
};
</script>`;

it.runIf(browserProgram !== undefined)(
  "M04 the canvas presents a page, runs a script in it and reads it; its call is asked and allowed",
  { timeout: 60_000, tags: ["smoke"] },
  async () => {
    expect(await canvas({ action: "present", title: "Sales", html: PAGE })).toMatchObject({ success: true });
    await shown().getByText("Twelve lanterns.").waitFor();
    const { result } = await canvas({ action: "eval", script: "document.querySelectorAll('p').length + 40" });
    expect(result?.output.text).toBe("42");
    await shown().getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: /^Allow once/ }).waitFor();
    expect(existsSync(join(server.cwd, "sales.txt"))).toBe(false);
    if (shots) {
      mkdirSync(shots, { recursive: true });
      await page.screenshot({ path: join(shots, "canvas-asked.png") });
    }
    await page.getByRole("button", { name: /^Allow once/ }).click();
    await shown().getByText("Saved.").waitFor();
    expect(readFileSync(join(server.cwd, "sales.txt"), "utf8")).toBe("twelve");
    const read = await canvas({ action: "snapshot" });
    expect(read.result?.output.text).toBe("# Sales of the week\nTwelve lanterns.\n[button Save]\nSaved.");
    await canvas({ action: "hide" });
    await page.locator(".canvas").waitFor({ state: "detached" });
  },
);

it.runIf(browserProgram !== undefined)(
  "M04 a page on the canvas reaches neither the console, nor the network, nor another place",
  { timeout: 60_000 },
  async () => {
    const requests: (string | undefined)[] = [];
    await using other = await listening(requests);
    const outside = other.url;
    const hostile = `<p id="out">start</p><script>
      const out = document.querySelector("#out"); const tried = [];
      for (const [name, act] of Object.entries({
        parent: () => parent.document.title, top: () => top.document.title, cookie: () => document.cookie,
        storage: () => localStorage.length, navigate: () => { top.location = "${outside}/top"; },
      })) try { act(); tried.push(name); } catch {}
      fetch("${outside}/fetch").then(() => tried.push("fetch"), () => {});
      new Image().src = "${outside}/image";
      const frame = document.createElement("iframe"); frame.src = "${outside}/frame"; document.body.append(frame);
      out.textContent = "tried: " + tried.join();
    </script>`;
    const { result } = await canvas({ action: "present", html: hostile });
    await shown().getByText("tried:").waitFor();
    expect((await canvas({ action: "snapshot" })).result?.output).toMatchObject({ text: "tried:" });
    expect(JSON.stringify(result?.output.notes)).toContain(`blocked by the policy of the canvas: ${outside}`);
    await canvas({ action: "eval", script: `setTimeout(() => { location = "${outside}/self"; }); 1` });
    await page.getByText("tried to leave the canvas. It was stopped").waitFor();
    expect((await canvas({ action: "snapshot" })).error?.message).toContain("tried to leave");
    expect(requests).toEqual([]);
    expect(page.url()).toContain(`/#/s/${id}`);
  },
);

it.runIf(browserProgram !== undefined)(
  "M04 a page that floods the console with messages is stopped, and the next page works",
  { timeout: 60_000 },
  async () => {
    const flood = `<script>for (let i = 0; i < 5000; i++) parent.postMessage({ jsonrpc: "2.0", id: i, method: "ping" }, "*");</script>`;
    const { error } = await canvas({ action: "present", html: flood });
    expect(error?.message).toContain("too many messages");
    await page.getByText("too many messages. It was stopped").waitFor();
    expect(await canvas({ action: "present", markdown: "# Calm" })).toMatchObject({ success: true });
    await shown().getByRole("heading", { name: "Calm" }).waitFor();
  },
);

it.runIf(browserProgram !== undefined)(
  "M04 a panel that the person closes is told to the agent at once, and the next page opens it again",
  { timeout: 60_000 },
  async () => {
    expect(await canvas({ action: "present", markdown: "# First" })).toMatchObject({ success: true });
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.locator(".canvas").waitFor({ state: "detached" });
    const closed = { code: "tool_unavailable", message: "The user has closed the canvas." };
    expect((await canvas({ action: "snapshot" })).error).toMatchObject(closed);
    // The console says it again to a server that it has lost meanwhile.
    await page.evaluate(() => (window as unknown as { haftSockets: WebSocket[] }).haftSockets.at(-1)!.close());
    await page.waitForFunction(() => (window as unknown as { haftSockets: WebSocket[] }).haftSockets.length === 2);
    await expect
      .poll(async () => (await canvas({ action: "snapshot" })).error, { timeout: patience(20_000) })
      .toMatchObject(closed);
    expect(await canvas({ action: "present", markdown: "# Second" })).toMatchObject({ success: true });
    await shown().getByRole("heading", { name: "Second" }).waitFor();
  },
);

it.runIf(browserProgram !== undefined)(
  "M04 A2UI messages become an interface, and its action reaches the agent only when the person sends it",
  { timeout: 60_000 },
  async () => {
    const text = (literalString: string) => ({ Text: { text: { literalString } } });
    const lines = [
      { dataModelUpdate: { surfaceId: "s", path: "/", contents: [{ key: "name", valueString: "Ann" }] } },
      {
        surfaceUpdate: {
          surfaceId: "s",
          components: [
            { id: "root", component: { Column: { children: { explicitList: ["who", "go"] } } } },
            { id: "who", component: { TextField: { label: { literalString: "Name" }, text: { path: "/name" } } } },
            { id: "label", component: text("Order") },
            {
              id: "go",
              component: {
                Button: {
                  child: "label",
                  action: { name: "order", context: [{ key: "by", value: { path: "/name" } }] },
                },
              },
            },
          ],
        },
      },
      { beginRendering: { surfaceId: "s", root: "root" } },
    ];
    const jsonl = lines.map((line) => JSON.stringify(line)).join("\n");
    expect(await canvas({ action: "push", jsonl })).toMatchObject({ success: true });
    await shown().getByLabel("Name").fill("Ben");
    await shown().getByRole("button", { name: "Order" }).click();
    await page.getByText("The page wants to send the agent a message").waitFor();
    expect(await page.locator(".canvas-proposal code").textContent()).toContain('"context":{"by":"Ben"}');
    await page.getByRole("button", { name: "Refuse" }).click();
    if (shots) await page.screenshot({ path: join(shots, "canvas-a2ui.png") });
    expect(await canvas({ action: "reset" })).toMatchObject({ success: true });
    expect((await canvas({ action: "snapshot" })).error?.message).toBe("The canvas is empty.");
  },
);

it.runIf(browserProgram !== undefined)(
  "M04 a call of an MCP tool opens its page, which shows the input and the result, again after Reload and on a phone",
  { timeout: 60_000 },
  async () => {
    expect(await run("mcp__sales__chart", { a: 7 })).toMatchObject({ success: true });
    await shown().getByText('input {"a":7}').waitFor();
    await shown().getByText("result 7").waitFor();
    await page.getByText("from the MCP server sales").waitFor();
    await page.getByRole("button", { name: "Reload" }).click();
    await shown().getByText("result 7").waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    const heights = await page.evaluate(() =>
      [".canvas-frame", ".stream-scroll"].map(
        (name) => document.querySelector(name)?.getBoundingClientRect().height ?? 0,
      ),
    );
    expect(Math.min(...heights)).toBeGreaterThan(150);
    if (shots) await page.screenshot({ path: join(shots, "canvas-phone.png") });
    await page.goto(`${server.handle.url}/#/s/${id}/canvas`);
    await shown().getByText("result 7").waitFor();
    const frame = await page.locator(".canvas-frame").boundingBox();
    expect(frame?.height).toBeGreaterThan(400);
    if (shots) await page.screenshot({ path: join(shots, "canvas-phone-whole.png") });
    await page.setViewportSize({ width: 1280, height: 800 });
  },
);
