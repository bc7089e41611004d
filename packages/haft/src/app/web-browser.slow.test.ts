// WebBrowser with the Chromium of this machine, on sites of this machine.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText, type Result } from "@haft/core/tool";
import { findBrowser } from "@haft/service/web";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { LOOPBACK } from "../../../host/test/support/closed-addresses.ts";
import { type WebServer, webServer } from "../../../host/test/support/web-server.ts";
import { webWorkspace } from "../../test/support/web.ts";

const found = findBrowser(undefined, process.env);
const html = (body: string, head = ""): string =>
  `<!doctype html><html><head><title>Site</title>${head}</head><body>${body}</body></html>`;

const PAGES = {
  "/": html(`<h1>Hello</h1><button onclick="document.title='Clicked';this.textContent='Done'">Press me</button>
    <label>Name <input id="n"></label><select aria-label="Colour"><option>red</option><option>blue</option></select>
    <a href="/second">Second</a><p style="display:none">hidden words</p>`),
  "/second": html("<h1>Second page</h1>"),
  "/form": html('<form action="/sent"><input name="q" aria-label="Query"><button>Send</button></form>'),
  "/sent": html("<h1>Thank you</h1>"),
  "/dialog": html(
    `<button onclick="document.title=String(confirm('Sure?'))">Ask</button><button onclick="while(true)alert(1)">Loop</button>`,
  ),
  "/stay": html(
    `<button>Edit</button>`,
    "<script>addEventListener('beforeunload', (event) => event.preventDefault())</script>",
  ),
  "/loop": { status: 302, headers: { location: "/loop" } },
  "/inward": { status: 302, headers: { location: "http://169.254.169.254/" } },
  ...{ "/blank": html(""), "/nothing": { status: 204 } },
  "/popup": html(`<button onclick="window.open('/second')">Popup</button>`),
  "/file": html(
    '<a href="/get" download>Get</a><input type="file" aria-label="File" onchange="document.title=this.files[0].name">',
  ),
  "/get": {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": 'attachment; filename="../../evil\\u202e.txt"',
    },
    body: "data!",
  },
  "/console": html("x", "<script>console.warn('careful'); fetch('/missing')</script>"),
};

describe.skipIf("absent" in found)(`the browser (${"absent" in found ? found.absent : found.executable})`, () => {
  let site: Awaited<ReturnType<typeof webWorkspace>>;
  let other: WebServer;
  beforeAll(async () => {
    other = await webServer({ "*": html("secret") });
    site = await webWorkspace(
      {
        ...PAGES,
        "/leave": html(`<a href="http://localhost:${other.port}/far">Far</a>`),
        "/redirect": { status: 302, headers: { location: `http://localhost:${other.port}/redirected` } },
        "/attack": html(
          `<img src="http://127.0.0.1:${other.port}/img"><iframe src="http://127.0.0.1:${other.port}/frame"></iframe>`,
          `<script>
          fetch("http://127.0.0.1:${other.port}/fetch",{mode:"no-cors"}); fetch("http://localhost:${other.port}/local",{mode:"no-cors"});
          fetch("http://[::ffff:127.0.0.1]:${other.port}/mapped",{mode:"no-cors"}); new WebSocket("ws://127.0.0.1:${other.port}/ws");
          navigator.sendBeacon("http://127.0.0.1:${other.port}/beacon","x"); fetch("http://169.254.169.254/latest",{mode:"no-cors"});
          try { new EventSource("http://127.0.0.1:${other.port}/events") } catch {} </script>`,
        ),
      },
      { rules: { allow: ["WebBrowser"] } },
    );
  });
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  const browse = (input: object): Promise<Result> => site.haft.call("WebBrowser", input);
  const at = (path: string) => browse({ action: "navigate", url: `${site.server.origin}${path}` });
  const said = (result: Result): string => contentsText(result.content);
  /** The reference of the element that a snapshot shows with these words. */
  const refOf = (result: Result, words: string): string => {
    const line = said(result)
      .split("\n")
      .find((one) => one.includes(words));
    return /\[ref=(\w+)\]/.exec(line ?? "")?.[1] ?? `no ${words} in ${said(result)}`;
  };

  it("M03 opens a page, shows it with references, and acts on it", { tags: ["smoke"] }, async () => {
    const first = await at("/");
    expect(first.error).toBeUndefined();
    expect(said(first)).toMatch(/heading "Hello"[\s\S]*button "Press me" \[ref=e\d+\]/);
    expect(said(first)).not.toContain("hidden words");
    expect(first.labels).toMatchObject({
      integrity: "stranger",
      sources: expect.arrayContaining([`${site.server.origin}/`]),
    });
    expect((await browse({ action: "click", ref: refOf(first, "Press me") })).error).toBeUndefined();
    await browse({ action: "type", ref: refOf(first, 'textbox "Name"'), text: "Ada" });
    await browse({ action: "select", ref: refOf(first, "Colour"), values: ["blue"] });
    const after = await browse({ action: "snapshot" });
    expect(said(after)).toMatch(/Clicked[\s\S]*button "Done"[\s\S]*Ada/);
    expect(after.labels).toMatchObject({ integrity: "stranger", sources: [`${site.server.origin}/`] });
    const script = "document.querySelector('select').value";
    expect((await browse({ action: "evaluate", script })).output).toMatchObject({ text: '"blue"' });
  });

  it("M03 follows links, sends forms, goes back, and says what an old reference is", async () => {
    const first = await at("/");
    const second = await browse({ action: "click", ref: refOf(first, 'link "Second"') });
    expect(said(second)).toContain("Second page");
    expect((await browse({ action: "click", ref: refOf(first, "Press me") })).error?.hint).toContain("snapshot");
    expect(said(await browse({ action: "back" }))).toContain("Hello");
    const form = await at("/form");
    const sent = await browse({ action: "type", ref: refOf(form, "Query"), text: "x y", submit: true });
    expect(said(sent)).toContain("Thank you");
    expect(site.server.requests).toContain("GET /sent?q=x+y");
  });

  it("M03 a screenshot is an image", async () => {
    await at("/");
    const { content, labels } = await browse({ action: "screenshot" });
    expect(content).toContainEqual(expect.objectContaining({ type: "image", mediaType: "image/png" }));
    expect(labels?.integrity).toBe("stranger");
  });

  it("M03 answers dialogs as it was told, and ends a loop of them", async () => {
    const page = await at("/dialog");
    await browse({ action: "dialog", accept: true });
    expect(said(await browse({ action: "click", ref: refOf(page, "Ask") }))).toContain('"Sure?". It was accepted.');
    expect(said(await browse({ action: "click", ref: refOf(page, "Ask") }))).toContain("It was dismissed.");
    const loop = await browse({ action: "click", ref: refOf(page, "Loop") });
    expect(loop.error).toMatchObject({ code: "execution_failed", message: expect.stringContaining("was closed") });
    expect(loop.error?.hint).toContain("another page");
    expect((await at("/")).error).toBeUndefined();
  });

  it("M03 a page that does not want to be left is left", async () => {
    const page = await at("/stay");
    await browse({ action: "click", ref: refOf(page, "Edit") });
    const next = said(await at("/second"));
    expect(next).toContain("Second page");
    expect(next).toContain("(beforeunload)");
  });

  it(
    "M03 a script that does not end is an error with a way out, and the browser can be used again",
    async () => {
      await at("/");
      const late = await browse({ action: "evaluate", script: "while (true) {}" });
      expect(late.error).toMatchObject({ code: "timeout", hint: expect.stringContaining('"stop"') });
      expect((await browse({ action: "stop" })).error).toBeUndefined();
      expect((await at("/second")).error).toBeUndefined();
    },
    patience(120_000),
  );

  it("M03 after an address that fails the next one opens, with its status, and a page without text says so", async () => {
    expect((await at("/inward")).error?.message).toMatch(/not granted|is closed|was stopped/);
    for (let round = 0; round < 3; round++) {
      expect((await at("/loop")).error?.message).toContain("redirects in a loop");
      expect(said(await at("/second"))).toContain("Second page");
    }
    expect(said(await at("/missing"))).toMatch(/not found[\s\S]*status 404/);
    expect(said(await at("/blank"))).toContain("Nothing on it has a text");
    expect((await at("/nothing")).error?.message).toContain("sent no page");
    expect((await browse({ action: "wait", text: "never", ms: 1 })).error?.message).toContain('"never" did not appear');
  });

  it("M03 a download without its element is one error, which nobody has to hear twice", async () => {
    await at("/file");
    const unheard: unknown[] = [];
    const hear = (reason: unknown) => unheard.push(reason);
    process.on("unhandledRejection", hear);
    expect((await browse({ action: "download", ref: "e99", path: "a.txt" })).error?.code).toBe("invalid_input");
    // The wait for a file would end now, with an error.
    await browse({ action: "stop" });
    await new Promise((done) => setImmediate(done));
    process.off("unhandledRejection", hear);
    expect(unheard).toEqual([]);
  });

  it("M03 tabs: a popup becomes one, each is reached by its name, and closed", async () => {
    const page = await at("/popup");
    const clicked = await browse({ action: "click", ref: refOf(page, "Popup") });
    const listed = await browse({ action: "wait", ms: 200 });
    expect(said(clicked) + said(listed)).toMatch(/opened the tab t\d+/);
    const { tabs = [] } = (await browse({ action: "tabs" })).output as { tabs?: { id: string; url: string }[] };
    const popup = tabs.find(({ url }) => url.endsWith("/second"));
    expect(said(await browse({ action: "snapshot", tab: popup?.id }))).toContain("Second page");
    await browse({ action: "close", tab: popup?.id });
    expect((await browse({ action: "snapshot", tab: popup?.id })).error?.code).toBe("invalid_input");
  });

  it("M03 files come and go through the fence", async () => {
    const page = await at("/file");
    writeFileSync(join(site.workspace.cwd, "up.txt"), "up");
    expect((await browse({ action: "upload", ref: refOf(page, "File"), path: "up.txt" })).error).toBeUndefined();
    expect((await browse({ action: "evaluate", script: "document.title" })).output).toMatchObject({ text: '"up.txt"' });
    const got = await browse({ action: "download", ref: refOf(page, 'link "Get"'), path: "down.txt" });
    expect(got.error).toBeUndefined();
    expect(readFileSync(join(site.workspace.cwd, "down.txt"), "utf8")).toBe("data!");
    expect(JSON.stringify(got.content.filter((part) => "own" in part))).toMatch(/^(?!.*evil).*Saved as/);
    const read = await site.haft.call("Read", { file_path: "down.txt" });
    expect(read.labels).toMatchObject({
      integrity: "stranger",
      sources: [expect.stringContaining(site.server.origin)],
    });
    expect(JSON.stringify(got.output)).not.toMatch(/\.\.\/|\u202e/);
    await using strict = await site.workspace.open({
      rules: { allow: ["WebBrowser"], deny: ["read(//etc/**)", "write(no/**)"] },
    });
    expect((await strict.call("WebBrowser", { action: "upload", ref: "e1", path: "/etc/hostname" })).error?.code).toBe(
      "denied_by_rule",
    );
    expect((await strict.call("WebBrowser", { action: "download", ref: "e1", path: "no/x" })).error?.code).toBe(
      "denied_by_rule",
    );
  });

  it("M03 console and network are summed up", async () => {
    await at("/console");
    await browse({ action: "wait", ms: 300 });
    expect(said(await browse({ action: "console" }))).toContain("warning: careful");
    expect(said(await browse({ action: "network" }))).toMatch(/GET .*\/missing fetch 404/);
  });

  it.each(["snapshot", "screenshot", "evaluate", "console", "network", "tabs"])(
    "M03 labels a %s with the page it comes from",
    async (action) => {
      await at("/console");
      const { error, labels } = await browse({
        action,
        ...(action === "evaluate" ? { script: "document.title" } : {}),
      });
      expect(error).toBeUndefined();
      expect(labels).toMatchObject({ integrity: "stranger", sources: [expect.stringContaining(site.server.origin)] });
    },
  );

  it("M03 a page reaches no closed address, in any way that it tries", async () => {
    const page = await at("/attack");
    await browse({ action: "wait", ms: 500 });
    expect(page.error).toBeUndefined();
    expect(other.requests).toEqual([]);
    const closed = LOOPBACK.map((host) => `http://${host}:${other.port}/`);
    for (const url of closed) expect((await browse({ action: "navigate", url })).error?.hint, url).toMatch(/\w{3}/);
    expect(other.requests).toEqual([]);
    await at("/");
    const script = `Promise.allSettled(${JSON.stringify(closed)}.map(async (url) => (await fetch(url, { mode: "no-cors" })).type)).then((all) => all.length)`;
    expect(said(await browse({ action: "evaluate", script }))).toContain(String(closed.length));
    expect(other.requests).toEqual([]);
  });

  it.each([
    "file:///etc/passwd",
    "data:text/html,x",
    "chrome://settings",
    "javascript:alert(1)",
    "view-source:http://a.example/",
    "http://u:p@a.example/",
  ])("M03 does not open %s", async (url) => {
    expect((await browse({ action: "navigate", url })).error?.code).toBe("invalid_input");
  });

  it("M03 a page cannot lead to another host by itself; a deny rule holds for what pages load", async () => {
    const open = { web: { privateHosts: [`127.0.0.1:${site.server.port}`, `localhost:${other.port}`] } };
    writeFileSync(join(site.workspace.base, "home/.config/haft/settings.json"), JSON.stringify(open));
    await using haft = await site.workspace.open({ rules: { allow: ["WebBrowser"] } });
    const call = (input: object) => haft.call("WebBrowser", input);
    const page = await call({ action: "navigate", url: `${site.server.origin}/leave` });
    expect(said(await call({ action: "click", ref: refOf(page, "Far") }))).toContain(
      `wants to go to http://localhost:${other.port}/far`,
    );
    expect(other.requests).toEqual([]);
    const redirected = await call({ action: "navigate", url: `${site.server.origin}/redirect` });
    expect(said(redirected)).toContain("was stopped");
    expect(said(redirected)).not.toContain("secret");
    expect(said(await call({ action: "navigate", url: `http://localhost:${other.port}/x` }))).toContain("secret");
    const count = other.requests.length;
    await using strict = await site.workspace.open({ rules: { allow: ["WebBrowser"], deny: ["connect(localhost)"] } });
    await strict.call("WebBrowser", { action: "navigate", url: `${site.server.origin}/leave` });
    await strict.call("WebBrowser", {
      action: "evaluate",
      script: `fetch("http://localhost:${other.port}/denied",{mode:"no-cors"}).catch(String)`,
    });
    expect(other.requests.length).toBe(count);
  });

  it("M03 a browser that goes away in the middle of it is an error, and the next page opens a new one", async () => {
    await at("/");
    expect((await browse({ action: "stop" })).error).toBeUndefined();
    expect((await browse({ action: "snapshot" })).error?.code).toBe("invalid_input");
    expect((await at("/")).error).toBeUndefined();
  });

  it("M03 each host asks; looking at an open page does not", async () => {
    await using haft = await site.workspace.open({});
    const decide = async (input: object) => (await haft.explain("WebBrowser", input)).decision?.decision;
    expect(await decide({ action: "navigate", url: "https://a.example/" })).toBe("ask");
    expect(await decide({ action: "snapshot" })).toBe("allow");
    expect(await decide({ action: "download", path: "x", ref: "e1" })).toBe("ask");
  });
});
