import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { contentsText, type Result } from "@haft/core/tool";
import { expect, it } from "vitest";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import type { Haft, HaftOptions } from "../haft.ts";
import type { Notice } from "../notice.ts";

const places = sessionPlaces("tool-files");
const textOf = ({ content }: Result) => contentsText(content);

async function session(files: Record<string, string>, more: HaftOptions = {}) {
  const place = places.make();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(place.base, path)), { recursive: true });
    writeFileSync(join(place.base, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const notices: Notice[] = [];
  const asked: string[] = [];
  const haft = await places.open({
    ...{ ...place.options, settings: {}, trusted: true, onNotice: (notice) => notices.push(notice) },
    ask: async ({ tool }) => {
      asked.push(tool);
      return { behavior: "allow" };
    },
    ...more,
  });
  return {
    ...place,
    haft,
    asked,
    write,
    notices: () => notices.filter(({ code }) => code === "tool_file").map(({ message }) => message),
  };
}

/** Resolves at the next change of the tools, and not by a timer. */
const change = (haft: Haft) =>
  new Promise<void>((resolve) => {
    const stop = haft.registry.watch(() => {
      stop();
      resolve();
    });
  });

const OWN = `
export default {
  name: "Shout",
  description: "Says it loud.",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  can: [],
  effects: () => [],
  run: ({ text }) => text.toUpperCase(),
};`;
const FOREIGN = `
const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
interface Given { readonly text: string }
export const sdk_tool = { description: "An AI SDK tool.", inputSchema: schema, execute: async ({ text }: Given) => "sdk " + text };
export const other = { description: "Of opencode.", args: { text: { type: "string" } }, execute: async ({ text }: Given) => "code " + text };
export const agent = {
  name: "agent_tool", description: "Of a plugin.", parameters: schema,
  execute: async (_id: string, { text }: Given) => ({ content: [{ type: "text", text: "agent " + text }] }),
};
export const notATool = 7;`;

it("R10 a file in .haft/tools is a tool: ours, of the AI SDK, of opencode, of a plugin, in JavaScript or TypeScript", async () => {
  const { haft, asked, notices } = await session({
    "work/.haft/tools/shout.js": OWN,
    "home/.config/haft/tools/foreign.ts": FOREIGN,
  });
  expect(notices()).toEqual([]);
  expect(textOf(await haft.call("Shout", { text: "hey" }))).toBe("HEY");
  expect(haft.registry.get("Shout")?.source.origin).toBe("custom");
  expect(asked).toEqual([]);
  for (const [tool, text] of [
    ["sdk_tool", "sdk a"],
    ["other", "code a"],
    ["agent_tool", "agent a"],
  ] as const)
    expect(textOf(await haft.call(tool, { text: "a" }))).toBe(text);
  expect(asked).toEqual(["sdk_tool", "other", "agent_tool"]);
  expect((await haft.call("sdk_tool", {})).error?.code).toBe("invalid_input");
});

it("R10 a changed file is loaded again, a removed one takes its tool with it", async () => {
  const { haft, write, base } = await session({ "work/.haft/tools/shout.js": OWN });
  const changed = change(haft);
  write("work/.haft/tools/shout.js", OWN.replace("text.toUpperCase()", 'text + "!!"'));
  await changed;
  await haft.offer();
  expect(textOf(await haft.call("Shout", { text: "hey" }))).toBe("hey!!");
  const { rmSync } = await import("node:fs");
  rmSync(join(base, "work/.haft/tools/shout.js"));
  await haft.offer();
  expect((await haft.call("Shout", { text: "hey" })).error?.code).toBe("unknown_tool");
});

it("R10 a mistake names file and line and costs only its own file", async () => {
  const { haft, notices, base } = await session({
    "work/.haft/tools/good.js": OWN,
    "work/.haft/tools/throws.js": "\n\nthrow new Error('not today');\n",
    "work/.haft/tools/nothing.js": "export const a = 1;",
    "work/.haft/tools/taken.js": OWN.replace("Shout", "Read"),
    "outside/evil.js": OWN,
  });
  symlinkSync(join(base, "outside/evil.js"), join(base, "work/.haft/tools/link.js"));
  await haft.offer();
  expect(textOf(await haft.call("Shout", { text: "hey" }))).toBe("HEY");
  const all = notices().join("\n");
  for (const words of [
    "throws.js:3: Error: not today",
    "nothing.js exports no tool",
    'cannot use the name "Read"',
    "a link to a place outside",
  ])
    expect(all).toContain(words);
});

it("R10 a project's files wait for trust", async () => {
  const { haft, notices } = await session({ "work/.haft/tools/shout.js": OWN }, { trusted: false });
  expect((await haft.call("Shout", { text: "a" })).error?.code).toBe("unknown_tool");
  expect(notices()).toEqual(["The tool files of this folder are ignored: it is not trusted."]);
});

it("R10 group:custom in a deny list covers them", async () => {
  const { haft } = await session(
    { "work/.haft/tools/shout.js": OWN },
    { settings: { policy: { deny: ["group:custom"] } } },
  );
  expect((await haft.offer()).tools.map(({ name }) => name)).not.toContain("Shout");
});
