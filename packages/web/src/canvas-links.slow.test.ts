import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestServer, TOKEN, testServer } from "../../haft/test/support/console-server.ts";
import { scriptedModel } from "../../haft/test/support/scripted-model.ts";
import { browserProgram, type ConsoleBrowser, consoleBrowser } from "./console-browser.ts";

let built: ConsoleBrowser;
let server: TestServer;
let page: Page;
let id: string;
let calls = 0;
let outside: string;
const requests: string[] = [];
const http = createServer(({ url, headers }, response) => {
  requests.push(`${url} ${headers.referer ?? "no referrer"}`);
  response
    .setHeader("content-type", "text/html")
    .end("<h1>Outside</h1><p id=o></p><script>o.textContent = String(opener)</script>");
});

beforeAll(async () => {
  if (browserProgram === undefined) return;
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  outside = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  built = await consoleBrowser();
  server = await testServer(scriptedModel([]), { consoleFolder: built.folder });
  id = String((await server.ask("POST", "/api/sessions", {})).id);
  page = await (await built.browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(`${server.handle.url}/#token=${TOKEN}&page=/s/${id}`);
  await page.waitForSelector(".composer, textarea");
}, 90_000);

afterAll(async () => {
  http.close();
  await server?.[Symbol.asyncDispose]();
  await built?.[Symbol.asyncDispose]();
});

interface Answer {
  readonly success: boolean;
  readonly result?: { readonly output: { readonly text: string } };
}
const canvas = async (input: object): Promise<Answer> => {
  const call = { toolId: "canvas", arguments: input, messageId: `t${++calls}` };
  const answer = (await server.ask("POST", `/api/sessions/${id}/calls`, call)) as unknown as Answer;
  if (!answer.success) throw new Error(JSON.stringify(answer));
  return answer;
};
/** The number keeps equal scripts from looking like a loop. */
const evaluate = async (script: string): Promise<unknown> =>
  JSON.parse((await canvas({ action: "eval", script: `${script} // ${calls}` })).result?.output.text ?? "null");
const shown = (): FrameLocator => page.frameLocator(".canvas-frame").frameLocator("iframe");
const bar = () => page.locator(".canvas-proposal");
const present = (html: string) => canvas({ action: "present", html });
/** The page has neither been stopped nor left. */
const lives = async () => expect(await evaluate("location.href.split('#')[0]")).toBe("about:srcdoc");

it.runIf(browserProgram !== undefined)(
  "M04 a link opens in a new tab after the person has seen its address, and nothing leaves before",
  { timeout: 60_000, tags: ["smoke"] },
  async () => {
    await present(`<a id="l" href="${outside}/l">Read</a> <a href="${outside}/t" target="_top"><b>Top</b></a>
      <svg width="60" height="20"><a href="${outside}/s"><text y="15">Draw</text></a></svg>`);
    const atFirst = page.evaluate(
      () =>
        new Promise<boolean>((resolve) => {
          new MutationObserver(() => {
            const button = document.querySelector<HTMLButtonElement>(".canvas-proposal button");
            if (button) resolve(button.disabled);
          }).observe(document.body, { childList: true, subtree: true });
        }),
    );
    await shown().getByText("Read").click();
    await bar()
      .getByText(`The page wants to open a link to ${outside.slice("http://".length)}:`)
      .waitFor();
    // The page chooses the moment, so a click that follows at once does not answer.
    expect(await atFirst).toBe(true);
    expect(await bar().locator("code").textContent()).toBe(`${outside}/l`);
    expect(requests).toEqual([]);
    const tab = page.context().waitForEvent("page");
    await page.getByRole("button", { name: "Open it" }).click();
    const opened = await tab;
    await opened.getByRole("heading", { name: "Outside" }).waitFor();
    expect(await opened.locator("#o").textContent()).toBe("null");
    expect(requests).toContain("/l no referrer");
    await opened.close();
    requests.length = 0;

    for (const [text, options] of [
      ["Top", {}],
      ["Draw", {}],
      ["Read", { button: "middle" }],
      ["Read", { modifiers: ["Control"] }],
      ["Read", { modifiers: ["Shift"] }],
    ] as const) {
      await shown()
        .getByText(text)
        .click(options as object);
      await page.getByRole("button", { name: "Refuse" }).click();
      await bar().waitFor({ state: "detached" });
      await lives();
    }
    expect(page.context().pages()).toHaveLength(1);
    expect(requests).toEqual([]);
  },
);

it.runIf(browserProgram !== undefined)(
  "M04 a page cannot send a click with the middle button past the question, not even from a closed shadow tree",
  { timeout: 60_000 },
  async () => {
    await present(`<a href="${outside}/m">Middle</a><div id="d"></div><script>
      for (const name of ["click", "auxclick"]) addEventListener(name, (event) => event.stopImmediatePropagation(), true);
      d.attachShadow({ mode: "closed" }).innerHTML = '<a style="display: block" href="${outside}/c">Closed</a>';</script>`);
    await shown().locator("#d").click({ button: "middle" });
    await shown()
      .locator("#d")
      .click({ modifiers: ["Control"] });
    await shown().getByText("Middle").click({ button: "middle" });
    await bar().getByText(`${outside}/m`).waitFor();
    await page.getByRole("button", { name: "Refuse" }).click();
    await lives();
    expect(page.context().pages()).toHaveLength(1);
    expect(requests).toEqual([]);
  },
);

it.runIf(browserProgram !== undefined)(
  "M04 a page that keeps the click on a link to itself stays alive, and the link is asked about unless it was prevented",
  { timeout: 60_000 },
  async () => {
    await present(`<div onclick="event.stopPropagation()"><a href="${outside}/stopped">Stopped</a></div>
      <p><a href="${outside}/self" target="_self" onclick="event.stopImmediatePropagation()">Self</a></p>
      <p><a href="${outside}/own" onclick="event.stopPropagation(); document.title = 'own'; return false">Own</a></p>
      <p><a href="#x" onclick="event.stopPropagation()">Down</a></p><div style="height: 3000px"></div><h2 id="x">X</h2><script>
      addEventListener("click", (event) => event.target.text === "Self" && event.stopImmediatePropagation(), true);</script>`);
    for (const [text, path] of [
      ["Stopped", "stopped"],
      ["Self", "self"],
    ] as const) {
      await shown().getByText(text).click();
      await bar().getByText(`${outside}/${path}`).waitFor();
      await page.getByRole("button", { name: "Refuse" }).click();
      await bar().waitFor({ state: "detached" });
      await lives();
    }
    await shown().getByText("Own", { exact: true }).click();
    expect(await evaluate("new Promise((done) => setTimeout(() => done(document.title), 50))")).toBe("own");
    expect(await bar().count()).toBe(0);
    await shown().getByText("Down").click();
    expect(await evaluate("new Promise((done) => setTimeout(() => done(scrollY), 50))")).toBeGreaterThan(1_000);
    expect(await evaluate("[...document.links].map((link) => link.target)")).toEqual(["", "_self", "", ""]);
    expect(requests).toEqual([]);
  },
);

it.runIf(browserProgram !== undefined)(
  "M04 a fragment scrolls within the page, a script's link works, and any other address is named and not opened",
  { timeout: 60_000 },
  async () => {
    await present(`<a href="#x">Down</a> <a href="#">Up</a> <a href="javascript:void(document.title = 'js')">Script</a>
      <a href="next.html">Relative</a> <a href="data:text/html,hi">Data</a> <a href="mailto:ann@example.com">Mail</a>
      <a href="${outside}/own" onclick="event.preventDefault(); document.title = 'own'">Own</a>
      <style>a { position: fixed; top: 0 } a:nth-of-type(n+2) { left: 6rem } a:nth-of-type(n+3) { left: 12rem }
        a:nth-of-type(n+4) { left: 18rem } a:nth-of-type(n+5) { top: 2rem } a:nth-of-type(n+6) { left: 0 } a:nth-of-type(n+7) { left: 6rem }
      </style><div style="height: 3000px"></div><h2 id="x">X</h2><div style="height: 3000px"></div>`);
    for (const round of [1, 2]) {
      await shown().getByText("Down").click();
      expect(await evaluate("Math.abs(x.getBoundingClientRect().top) < 1"), `round ${round}`).toBe(true);
      expect(await evaluate("document.querySelector(':target').id")).toBe("x");
      await evaluate("scrollTo(0, 100)");
    }
    await shown().getByText("Up").click();
    expect(await evaluate("scrollY")).toBe(0);
    await shown().getByText("Script").click();
    expect(await evaluate("document.title")).toBe("js");
    await shown().getByText("Own", { exact: true }).click();
    expect(await evaluate("document.title")).toBe("own");
    for (const [text, address] of [
      ["Relative", "next.html"],
      ["Data", "data:text/html,hi"],
    ] as const) {
      await shown().getByText(text).click();
      await bar().getByText("opens only whole addresses").waitFor();
      expect(await bar().locator("code").textContent()).toBe(address);
      expect(await page.getByRole("button", { name: "Open it" }).count()).toBe(0);
      await page.getByRole("button", { name: "Dismiss" }).click();
    }
    await shown().getByText("Mail").click();
    await bar().getByText("mailto:ann@example.com").waitFor();
    await page.getByRole("button", { name: "Refuse" }).click();
    await lives();
    await canvas({ action: "present", markdown: `[Go](#next-steps)${"\n\nline".repeat(200)}\n\n## Next *steps*` });
    await shown().getByText("Go").click();
    expect(await evaluate("scrollY")).toBeGreaterThan(1_000);
    expect(requests).toEqual([]);
  },
);

it.runIf(browserProgram !== undefined)(
  "M04 a plain form becomes a message to the agent, which the person sees first; the page stays",
  { timeout: 60_000 },
  async () => {
    await present(`<form name="order" method="post" action="${outside}/f"><input name="what" value="lantern">
      <input name="size" value="1"><input name="size" value="2"><input type="password" name="pin" value="1234">
      <button name="go" value="now">Order</button></form>
      <form><input name="q" value="red"><button type="button" onclick="this.form.submit()">Submit</button></form>
      <form onsubmit="event.preventDefault(); document.title = 'own'"><button>Own</button></form>
      <dialog open><form method="dialog"><button value="yes">Close dialog</button></form></dialog>`);
    await shown().getByRole("button", { name: "Order" }).click();
    await bar().getByText("The page wants to send the agent a message").waitFor();
    expect(JSON.parse((await bar().locator("code").textContent())!)).toEqual({
      form: {
        name: "order",
        action: `${outside}/f`,
        values: { what: "lantern", size: ["1", "2"], pin: "(a password, left out)", go: "now" },
      },
    });
    const sent = page.waitForRequest((request) => request.url().endsWith(`/api/sessions/${id}/prompt`));
    await page.getByRole("button", { name: "Send it" }).click();
    expect(JSON.stringify((await sent).postDataJSON())).toContain("lantern");
    await lives();
    await shown().getByRole("button", { name: "Submit" }).click();
    expect(await bar().locator("code").textContent()).toBe('{"form":{"values":{"q":"red"}}}');
    await page.getByRole("button", { name: "Refuse" }).click();
    await shown().getByRole("button", { name: "Own" }).click();
    await shown().getByRole("button", { name: "Close dialog" }).click();
    expect(await evaluate("[document.title, document.querySelector('dialog').returnValue]")).toEqual(["own", "yes"]);
    expect(requests).toEqual([]);
  },
);
