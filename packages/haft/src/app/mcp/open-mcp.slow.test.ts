import { pathToFileURL } from "node:url";
import type { ApprovalRequest } from "@haft/core/approval";
import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { mcpWorkspace, serverEntry, USER_SETTINGS } from "../../../test/support/mcp-workspace.ts";

describe("MCP servers of a session", () => {
  it("Q01 Q02 a configured server's tool is called like any other: the policy decides, the person answers", async () => {
    using place = mcpWorkspace({ [USER_SETTINGS]: { mcpServers: { pal: serverEntry("friendly") } } });
    await using denied = await place.open();
    const refused = await denied.call("mcp__pal__echo", { text: "a" });
    expect(refused.error?.code).toBe("needs_approval");
    const asked: ApprovalRequest[] = [];
    await using haft = await place.open({
      ask: async (request) => {
        asked.push(request);
        return { behavior: "allow" };
      },
    });
    const result = await haft.call("mcp__pal__echo", { text: "hello" });
    expect(contentsText(result.content)).toBe("hello");
    expect(asked[0]?.effects).toEqual([{ do: "call", basis: "claimed", server: "pal", tool: "echo", change: true }]);
    expect((await haft.explain("mcp__pal__echo", { text: "x" })).decision?.decision).toBe("ask");
  });

  it("Q01 logins that cannot be read are said once at the start, and only where somebody logs in", {
    tags: ["smoke"],
  }, async () => {
    const notices: string[] = [];
    const heard = async (server: object) => {
      using place = mcpWorkspace({
        [USER_SETTINGS]: { mcpServers: { pal: server } },
        "state/haft/mcp-logins.json": "{broken",
        "state/mcp-logins.json": "{broken",
      });
      await using _ = await place.open({ onNotice: ({ message, cure }) => void notices.push(`${message} ${cure}`) });
      return notices.splice(0);
    };
    expect(await heard({ url: "http://127.0.0.1:9/" })).toEqual([
      expect.stringMatching(/^Your logins at MCP servers cannot be read.* log in again/),
    ]);
    expect(await heard({ url: "http://127.0.0.1:9/", enabled: false })).toEqual([]);
    expect(await heard(serverEntry("friendly"))).toEqual([]);
  });

  it("V10 a project's servers need trust, and then a person who has seen the command; the yes holds for that command", async () => {
    using place = mcpWorkspace({
      "work/.mcp.json": { mcpServers: { shared: serverEntry("friendly") } },
      "work/.haft/settings.json": { mcpServers: { own: { ...serverEntry("rough", "flaky"), trusted: true } } },
    });
    await using untrusted = await place.open({ ask: "host" });
    expect(untrusted.mcp.list()).toEqual([]);
    const ignored = untrusted.notices.filter(({ setting }) => setting?.includes("mcpServers"));
    expect(ignored.map(({ source }) => source.replace(place.cwd, "").replace(/:\d+$/, ""))).toEqual([
      "/.haft/settings.json",
      "/.mcp.json",
    ]);

    await using haft = await place.open({ ask: "host", trusted: true });
    await expect.poll(() => haft.pending().length).toBe(2);
    expect(haft.mcp.list().map(({ state }) => state)).toEqual(["waiting", "waiting"]);
    expect(haft.mcp.list().map(({ server }) => server.trusted)).toEqual([undefined, undefined]);
    const shared = haft.pending().find(({ tool }) => tool === "mcp__shared");
    expect(JSON.stringify(shared?.show)).toContain("friendly.mjs");
    haft.answer(shared!.id, { behavior: "allow" });
    haft.answer(haft.pending()[0]!.id, { behavior: "deny" });
    await haft.mcp.settled();
    expect(haft.mcp.list().map(({ server, state }) => [server.name, state])).toEqual([
      ["own", "failed"],
      ["shared", "ready"],
    ]);

    await using again = await place.open({ trusted: true });
    await again.mcp.settled();
    expect(again.mcp.list().map(({ state }) => state)).toEqual(["failed", "ready"]);
    expect(again.mcp.list()[0]?.error?.hint).toContain("haft mcp approve own");
    expect((await again.call("mcp__own__pid", {})).error).toMatchObject({
      code: "tool_unavailable",
      message: expect.stringContaining("its command is not approved"),
      hint: expect.stringContaining("haft mcp approve own"),
    });
    expect((await again.call("mcp__shared__pid", {})).error?.code).toBe("unknown_tool");
  });

  it("Q01 a .mcp.json's limits for single servers count, and a secret in it does not", async () => {
    const entry = { ...serverEntry("friendly"), allowedTools: ["echo"], callTimeoutMs: 5_000, sandbox: "yes" };
    using place = mcpWorkspace({
      "work/.mcp.json": {
        mcpServers: {
          shared: { ...entry, url: "https://y.example" },
          web: { url: "https://x.example", oauth: { clientId: "c", clientSecret: "s" } },
        },
      },
    });
    await using haft = await place.open({ trusted: true, mcpServers: false });
    expect(haft.mcp.list()).toEqual([]);
    await using running = await place.open({ trusted: true, ask: "host" });
    expect(running.mcp.list().map(({ server }) => server)).toMatchObject([
      { name: "shared", allowedTools: ["echo"], callTimeoutMs: 5_000 },
      { name: "web", oauth: { clientId: "c" } },
    ]);
    expect(JSON.stringify(running.mcp.list())).not.toMatch(/clientSecret|"sandbox"/);
    expect(running.notices.map(({ message }) => message)).toContain(
      'The MCP server "shared" has a command and a url; the command counts.',
    );
  });

  it("V10 a changed command asks again", async () => {
    using place = mcpWorkspace({ "work/.mcp.json": { mcpServers: { shared: serverEntry("friendly") } } });
    {
      await using haft = await place.open({ trusted: true, ask: async () => ({ behavior: "allow" }) });
      await haft.mcp.settled();
      expect(haft.mcp.list()[0]?.state).toBe("ready");
    }
    using changed = mcpWorkspace({ "work/.mcp.json": { mcpServers: { shared: serverEntry("rough", "flaky") } } });
    await using haft = await changed.open({ cwd: changed.cwd, stateDir: `${place.base}/state`, trusted: true });
    await haft.mcp.settled();
    expect(haft.mcp.list()[0]?.state).toBe("failed");
  });

  it("Q06 a deny rule for a server hides and blocks all its tools, and no other server's", async () => {
    using place = mcpWorkspace({
      [USER_SETTINGS]: { mcpServers: { git: serverEntry("rough", "flaky"), git_hub: serverEntry("rough", "flaky") } },
    });
    await using haft = await place.open({ rules: { deny: ["mcp__git"], allow: ["mcp__git_hub"] } });
    await haft.mcp.settled();
    const offered = (await haft.offer()).tools.map(({ name }) => name).filter((name) => name.startsWith("mcp__"));
    expect(offered).toEqual(["mcp__git_hub__pid"]);
    expect((await haft.call("mcp__git__pid", {})).error?.code).toBe("denied_by_rule");
    expect((await haft.call("mcp__git_hub__pid", {})).error).toBeUndefined();
  });

  it("Q01 calls that come one by one wait for a server that is still on its way, and keep their order", async () => {
    using place = mcpWorkspace({
      [USER_SETTINGS]: { mcpServers: { pal: serverEntry("friendly") } },
      "work/a.txt": "a",
    });
    await using haft = await place.open({ rules: { allow: ["mcp__pal"] } });
    const open = haft.open();
    expect(haft.mcp.list()[0]?.state).not.toBe("ready");
    const first = open.add({ id: "1", tool: "mcp__pal__echo", input: { text: "one" } });
    void open.add({ id: "2", tool: "Read", input: { file_path: "a.txt" } });
    void open.add({ id: "3", tool: "mcp__pal__echo", input: { text: "three" } });
    expect((await open.end()).map(({ call, status }) => [call.id, status])).toEqual([
      ["1", "ok"],
      ["2", "ok"],
      ["3", "ok"],
    ]);
    expect(contentsText((await first).result.content)).toBe("one");
  });

  it("Q01 a cancelled call does not wait for a server", async () => {
    using place = mcpWorkspace({ [USER_SETTINGS]: { mcpServers: { slow: serverEntry("rough", "hang") } } });
    await using haft = await place.open();
    const started = performance.now();
    const [outcome] = await haft.run([{ id: "1", tool: "mcp__slow__x", input: {} }], {
      signal: AbortSignal.timeout(300),
    });
    expect(outcome?.status).not.toBe("ok");
    expect(performance.now() - started).toBeLessThan(patience(10_000));
  });

  it("Q04 the short key of a remote tool calls it, and counts in deny rules but never in allow rules", async () => {
    using place = mcpWorkspace({ [USER_SETTINGS]: { mcpServers: { pal: serverEntry("friendly") } } });
    await using allowed = await place.open({ rules: { allow: ["call(pal/add)", "pal__echo"] } });
    expect((await allowed.call("pal__add", { a: 1, b: 2 })).output).toMatchObject({ structured: { sum: 3 } });
    expect((await allowed.call("pal__echo", { text: "x" })).error?.code).toBe("needs_approval");
    await using denied = await place.open({ rules: { allow: ["mcp__pal"], deny: ["pal__echo"] } });
    expect((await denied.call("mcp__pal__echo", { text: "x" })).error?.message).toContain("deny pal__echo");
    expect((await denied.call("mcp__pal__add", { a: 1, b: 2 })).error).toBeUndefined();
  });

  it("Q08 Q09 resources are listed and read; a picture is a picture", async () => {
    using place = mcpWorkspace({
      [USER_SETTINGS]: { mcpServers: { pal: serverEntry("friendly"), odd: serverEntry("rough", "flaky") } },
    });
    await using haft = await place.open({ rules: { allow: ["call(pal)"] } });
    await haft.mcp.settled();
    const listed = contentsText((await haft.call("ListMcpResources", {})).content);
    expect(listed).toContain("pal: test://note (note, text/plain, A note.)");
    expect(listed).toContain("test://item/{id}");
    expect((await haft.call("ReadMcpResource", { server: "pal", uri: "test://note" })).content).toEqual([
      { type: "resource", uri: "test://note", mediaType: "text/plain", text: "read me" },
    ]);
    const [pixel] = (await haft.call("ReadMcpResource", { server: "pal", uri: "test://pixel" })).content;
    expect(pixel).toMatchObject({ type: "image", mediaType: "image/png" });
    const wrong = await haft.call("ListMcpResources", { server: "odd" });
    expect(wrong.error).toBeDefined();
    await haft.mcp.remove("pal");
    expect((await haft.call("ListMcpResources", {})).error?.code).toBe("unknown_tool");
  });

  it.each(["legacy", "modern"])(
    "Q07 a page that a server wants to be opened is shown with its host (%s)",
    async (era) => {
      using place = mcpWorkspace({ [USER_SETTINGS]: { mcpServers: { pal: serverEntry("friendly", era) } } });
      const asked: ApprovalRequest[] = [];
      await using haft = await place.open({
        rules: { allow: ["mcp__pal"] },
        ask: async (request) => {
          asked.push(request);
          return { behavior: asked.length === 1 ? ("allow" as const) : ("deny" as const) };
        },
      });
      const said = async (url: string) => JSON.parse(contentsText((await haft.call("mcp__pal__pay", { url })).content));
      expect(await said("https://pay.example/7")).toEqual({ action: "accept" });
      expect(await said("https://pay.example/8")).toEqual({ action: "decline" });
      for (const page of [
        "file:///etc/passwd",
        "javascript://localhost/%0aalert(1)",
        "http://pay.example/",
        "https://bank.example@evil.example/",
        "https://:x@evil.example/",
      ])
        expect(await said(page)).not.toMatchObject({ action: "accept" });
      expect(asked.map(({ title }) => title)).toEqual(
        Array(2).fill('Open a page at pay.example for the MCP server "pal"'),
      );
      expect(JSON.stringify(asked[0]?.show)).toContain("https://pay.example/7");
    },
  );

  it("Q12 the user's own servers say once how they are used; a project's do not get that far", async () => {
    using place = mcpWorkspace({
      [USER_SETTINGS]: { mcpServers: { pal: serverEntry("friendly") } },
      "work/.mcp.json": { mcpServers: { theirs: serverEntry("friendly") } },
    });
    await using haft = await place.open({ trusted: true, ask: async () => ({ behavior: "allow" }) });
    await haft.mcp.settled();
    const { prompt, tools } = await haft.offer();
    expect(tools.map(({ name }) => name)).toContain("mcp__theirs__add");
    const said = prompt.filter((text) => text.includes("Call add for sums."));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('MCP server "pal"');
    expect(said[0]).toContain("> Never guess.");
  });

  it.each(["legacy", "modern"])(
    "Q07 a server's question reaches the person who answers approvals, and their answer the server (%s)",
    async (era) => {
      using place = mcpWorkspace({ [USER_SETTINGS]: { mcpServers: { pal: serverEntry("friendly", era) } } });
      const answers = [
        { behavior: "allow" as const, input: { size: "S" } },
        { behavior: "allow" as const },
        { behavior: "deny" as const },
      ];
      await using haft = await place.open({
        rules: { allow: ["mcp__pal"] },
        ask: async ({ title }) => (title.startsWith("Question from") ? answers.shift() : undefined),
      });
      const said = async () => contentsText((await haft.call("mcp__pal__confirm", {})).content);
      expect(JSON.parse(await said())).toEqual({ action: "accept", content: { size: "S" } });
      expect(JSON.parse(await said())).toEqual({ action: "accept", content: { size: "M" } });
      expect(JSON.parse(await said())).toEqual({ action: "decline" });
      expect(haft.mcp.list()[0]?.era).toBe(era);
      expect(contentsText((await haft.call("mcp__pal__where", {})).content)).toBe(pathToFileURL(place.cwd).href);
    },
  );
});
