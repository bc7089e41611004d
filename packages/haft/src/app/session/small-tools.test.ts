import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText, type Result } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { calls, finish, says, scriptedModel } from "../../../test/support/scripted-model.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import { type AgentEnd, userMessage } from "../../agent/index.ts";
import { runOn } from "../../session/run-on.ts";

const places = sessionPlaces("small");
const textOf = ({ content }: Result) => contentsText(content);

describe("Sleep", () => {
  it("L09 waits without a program, is cancelled at once, and wakes when something is said", async () => {
    const haft = await places.open(places.make().options);
    expect(textOf(await haft.call("Sleep", { seconds: 0 }))).toBe("0 s have passed.");
    const woken = haft.call("Sleep", { seconds: 3600, reason: "a build" });
    haft.mailbox.put(userMessage("Stop waiting."));
    expect((await woken).output).toMatchObject({ woken: true });
    haft.mailbox.take();
    const stop = new AbortController();
    const cancelled = haft.call("Sleep", { seconds: 3600 }, { signal: stop.signal });
    stop.abort();
    expect((await cancelled).error?.code).toBe("cancelled");
    expect((await haft.call("Sleep", { seconds: 99_999 })).error?.code).toBe("invalid_input");
  });

  it("L09 others run meanwhile, and a message to one agent wakes no other", async () => {
    const haft = await places.open(places.make().options);
    const child = haft.with({ agent: { id: "a1", parent: "main" } });
    const stop = new AbortController();
    const asleep = haft.call("Sleep", { seconds: 3600 }, { signal: stop.signal });
    child.mailbox.put(userMessage("Hello, a1."));
    expect((await child.call("Sleep", { seconds: 3600 })).output).toMatchObject({ woken: true });
    stop.abort();
    expect((await asleep).error?.code).toBe("cancelled");
  });
});

describe("Brief and SendUserFile", () => {
  it("P03 P04 words and files are shown apart, unasked, with what stands at the real place", async () => {
    const { options, cwd } = places.make();
    writeFileSync(join(cwd, "report.md"), "four");
    const haft = await places.open(options);
    const file = { path: join(cwd, "report.md"), kind: "file", size: 4 };
    const told = await haft.call("Brief", { message: "Half done.", attachments: ["report.md"] });
    expect(told.display).toEqual({ kind: "message", text: "Half done.", files: [file] });
    const sent = await haft.call("SendUserFile", { files: ["report.md"], caption: "The report." });
    expect(sent.display).toEqual({ kind: "message", text: "The report.", files: [file] });
  });

  it("P04 is held to the rules for reading, and says what is no file", async () => {
    const { options, cwd } = places.make();
    mkdirSync(join(cwd, "sub"));
    for (const name of ["a", ".env"]) writeFileSync(join(cwd, name), "x");
    const haft = await places.open({ ...options, rules: { deny: ["read(a)"] } });
    const code = async (...files: string[]) => (await haft.call("SendUserFile", { files })).error?.code;
    expect(await code("a")).toBe("denied_by_rule");
    expect(await code(".env")).toBe("needs_approval");
    expect(await code("/etc/hostname")).toBe("needs_approval");
    expect(await code("none")).toBe("file_not_found");
    expect(await code("sub")).toBe("is_directory");
  });
});

describe("Config", () => {
  const enabled = { settings: undefined as never };

  it("P05 reads a few settings; a change always asks and goes to the user's file", async () => {
    const place = places.make("home/.config/haft");
    const file = join(place.base, "home/.config/haft/settings.json");
    writeFileSync(file, JSON.stringify({ tools: { Config: { enabled: true } }, shell: { rows: 30 } }));
    const asked: string[] = [];
    const haft = await places.open({
      ...place.options,
      ...enabled,
      mode: "bypassPermissions",
      ask: async ({ title }) => {
        asked.push(title);
        return { behavior: "allow" };
      },
    });
    expect(textOf(await haft.call("Config", {}))).toContain("shell.rows = 30");
    expect(asked).toEqual([]);
    const set = await haft.call("Config", { setting: "model", value: "openai/gpt" });
    expect(set.error).toBeUndefined();
    expect(asked).toEqual(['Set model to "openai/gpt"']);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ model: "openai/gpt", shell: { rows: 30 } });
    const code = async (setting: string, value: unknown) => (await haft.call("Config", { setting, value })).error?.code;
    expect(await code("permissions.defaultMode", "bypassPermissions")).toBe("validation_failed");
    expect(await code("shell.pager", "sh")).toBe("validation_failed");
    expect(await code("shell.rows", "many")).toBe("validation_failed");
    expect(asked).toHaveLength(1);
  });

  it("P05 a file with comments is left as it is, and without the setting there is no such tool", async () => {
    const place = places.make("home/.config/haft");
    const file = join(place.base, "home/.config/haft/settings.json");
    const text = '{ // mine\n "tools": { "Config": { "enabled": true } } }';
    writeFileSync(file, text);
    const haft = await places.open({ ...place.options, ...enabled, ask: async () => ({ behavior: "allow" }) });
    expect((await haft.call("Config", { setting: "model", value: "a/b" })).error?.code).toBe("conflict");
    expect(readFileSync(file, "utf8")).toBe(text);
    const plain = await places.open(places.make().options);
    expect((await plain.call("Config", {})).error?.code).toBe("tool_unavailable");
  });
});

describe("Snip", () => {
  it("N12 takes a span out of what the model sees, pairs whole, and keeps it in a file", async () => {
    const { options, cwd } = places.make();
    writeFileSync(join(cwd, "a.txt"), "alpha result");
    const haft = await places.open(options);
    const model = scriptedModel([
      [calls("c0", "ToolSearch", { query: "select:Snip" }), finish()],
      [calls("c1", "Read", { file_path: "a.txt" }), finish()],
      [calls("c2", "Snip", { from: "alpha result", to: "alpha result", note: "a.txt holds alpha." }), finish()],
      says("Done."),
    ]);
    const signal = new AbortController().signal;
    const messages = [userMessage("First look."), userMessage("Go on.")];
    const end: AgentEnd = await runOn({ haft, model, messages, signal, onEvent: () => {} });
    expect(end.reason).toBe("answered");
    const seen = model.requests[3]!.messages;
    const roles = seen.map(({ role }) => role);
    expect(roles).toEqual(["user", "user", "assistant", "results", "user", "assistant", "results"]);
    expect(JSON.stringify(seen[4])).toContain("2 messages were cut here");
    expect(JSON.stringify(seen[4])).toContain("a.txt holds alpha.");
    const result = seen.at(-1);
    const file = /They are in (\S+)\.(?:"|$)/.exec(JSON.stringify(result))?.[1];
    expect(readFileSync(file!, "utf8")).toContain("alpha result");
  });

  it("N12 refuses what no message or several hold, and the user's last words; without a loop there is no such tool", async () => {
    const haft = await places.open(places.make().options);
    const bad = [
      { from: "nowhere", to: "nowhere", note: "x" },
      { from: "look", to: "look", note: "x" },
      { from: "Go on", to: "Go on", note: "x" },
    ];
    const load = [calls("c", "ToolSearch", { query: "select:Snip" }), finish()];
    const model = scriptedModel([
      load,
      bad.map((input, index) => calls(`c${index}`, "Snip", input)).concat(finish()),
      says("Done."),
    ]);
    const signal = new AbortController().signal;
    const messages = [userMessage("First look."), userMessage("Then look."), userMessage("Go on.")];
    await runOn({ haft, model, messages, signal, onEvent: () => {} });
    const after = model.requests[2];
    expect(after?.messages).toHaveLength(7);
    const told = JSON.stringify(after?.messages.at(-1));
    for (const words of ["No message holds", "2 messages hold", "last request"]) expect(told).toContain(words);
    expect((await haft.call("Snip", bad[0])).error?.code).toBe("tool_unavailable");
  });
});
