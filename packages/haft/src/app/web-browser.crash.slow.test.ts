// A browser that crashes in the middle of an act, a host that does not exist, and two sessions at the same time.
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { contentsText } from "@haft/core/tool";
import { findBrowser } from "@haft/service/web";
import { describe, expect, it } from "vitest";
import { webWorkspace } from "../../test/support/web.ts";

const found = findBrowser(undefined, process.env);

/** The processes of each browser that this process has started: the main one, to which alone it speaks, or those of pages. */
const browsers = (type = ""): number[] =>
  readdirSync("/proc").flatMap((name) => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8");
      return words.includes(`haft-browser-${process.pid}-`) &&
        (type === "" ? words.includes("--remote-debugging-pipe") && !words.includes("--type=") : words.includes(type))
        ? [Number(name)]
        : [];
    } catch {
      return [];
    }
  });

const COOKIE = {
  headers: { "content-type": "text/html", "set-cookie": "who=first; Path=/" },
  body: "<title>Site</title><h1>Hello</h1>",
};

describe.skipIf("absent" in found || process.platform !== "linux")("a browser", { timeout: 60_000 }, () => {
  it("M03 that closes a page for its dialogs does not keep the tabs busy that the page opened", async () => {
    const loop = `<button onclick="window.open('/second');window.open('/second')">Open</button><button onclick="for(;;)alert(1)">Loop</button>`;
    await using site = await webWorkspace(
      { "/": loop, "/second": "<h1>Second page</h1>" },
      { rules: { allow: ["WebBrowser"] } },
    );
    const browse = (input: object) => site.haft.call("WebBrowser", input);
    const at = (path: string) => browse({ action: "navigate", url: `${site.server.origin}${path}` });
    const refOf = (words: string) => new RegExp(`"${words}" \\[ref=(\\w+)\\]`).exec(page)?.[1];
    const page = contentsText((await at("/")).content);
    expect(contentsText((await browse({ action: "click", ref: refOf("Open") })).content)).toContain(
      "opened the tab t2",
    );
    const { error } = await browse({ action: "click", tab: "t1", ref: refOf("Loop") });
    expect(error?.message).toContain("was closed, with the pages that it opened");
    expect(contentsText((await at("/second")).content)).toContain("Second page");
  });

  it("M03 that crashes in the middle of an act is an error with a cure, and the next page opens a new one", {
    tags: ["smoke"],
  }, async () => {
    await using site = await webWorkspace(
      { "/": "<h1>Hello</h1>", "/begun": "" },
      { rules: { allow: ["WebBrowser"] } },
    );
    const browse = (input: object) => site.haft.call("WebBrowser", input);
    const url = `${site.server.origin}/`;
    expect((await browse({ action: "navigate", url })).error).toBeUndefined();
    const before = browsers();
    expect(before).toHaveLength(1);
    const acting = browse({ action: "evaluate", script: "fetch('/begun'); new Promise(() => {})" });
    await expect.poll(() => site.server.requests).toContain("GET /begun");
    process.kill(before[0]!, "SIGKILL");
    const { error } = await acting;
    expect([error?.code, error?.message]).toEqual(["execution_failed", expect.stringMatching(/ended|closed/)]);
    expect(error?.hint).toMatch(/\w{3}/);
    const again = await browse({ action: "navigate", url });
    expect(contentsText(again.content)).toContain("Hello");
    expect(browsers()).not.toEqual(before);
    // The profile of the crashed browser is gone, and that of the new one is there.
    const profiles = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`haft-browser-${process.pid}-`));
    await expect.poll(() => profiles().length, { timeout: 10_000 }).toBe(1);
  });

  it("M03 whose page crashes says so, and opens the next page in a new tab", async () => {
    await using site = await webWorkspace(
      { "/": "<h1>Hello</h1>", "/begun": "" },
      { rules: { allow: ["WebBrowser"] } },
    );
    const browse = (input: object) => site.haft.call("WebBrowser", input);
    const open = { action: "navigate", url: `${site.server.origin}/` };
    await browse(open);
    const acting = browse({ action: "evaluate", script: "fetch('/begun'); new Promise(() => {})" });
    await expect.poll(() => site.server.requests).toContain("GET /begun");
    for (const page of browsers("--type=renderer")) process.kill(page, "SIGKILL");
    for (const { error } of [await acting, await browse({ action: "snapshot" })])
      expect([error?.message, error?.hint]).toEqual(["The page has crashed.", expect.stringContaining("navigate")]);
    expect(contentsText((await browse(open)).content)).toMatch(/Hello[\s\S]*t1 had crashed/);
    expect(contentsText((await browse({ action: "snapshot" })).content)).toContain("Hello");
  });

  it("M03 of one session knows nothing of another one's cookies and tabs", async () => {
    await using site = await webWorkspace(
      { "/": COOKIE, "/bare": "<h1>Bare</h1>" },
      { rules: { allow: ["WebBrowser"] } },
    );
    await using other = await site.workspace.open({ rules: { allow: ["WebBrowser"] } });
    await site.haft.call("WebBrowser", { action: "navigate", url: `${site.server.origin}/` });
    await other.call("WebBrowser", { action: "navigate", url: `${site.server.origin}/bare` });
    const cookies = { action: "evaluate", script: "document.cookie" };
    expect((await site.haft.call("WebBrowser", cookies)).output).toMatchObject({ text: '"who=first"' });
    expect((await other.call("WebBrowser", cookies)).output).toMatchObject({ text: '""' });
    expect(contentsText((await other.call("WebBrowser", { action: "tabs" })).content)).not.toContain("Site");
  });

  it("M03 names the cure for a host that does not exist", async () => {
    await using site = await webWorkspace({}, { rules: { allow: ["WebBrowser"] } });
    const { error } = await site.haft.call("WebBrowser", { action: "navigate", url: "http://lantern.invalid/" });
    const cure = expect.stringMatching(/^Check the address/);
    expect([error?.message, error?.hint]).toEqual(["lantern.invalid has no address.", cure]);
  });
});
