import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText, type Result } from "@haft/core/tool";
import { expect, it } from "vitest";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import type { HaftOptions } from "../haft.ts";
import type { Notice } from "../notice.ts";

const places = sessionPlaces("discovery");
const textOf = ({ content }: Result) => contentsText(content);

const LIST = `console.log(JSON.stringify([
  { function_declarations: [{ name: "greet", description: "Greets.", parametersJsonSchema: { type: "object", properties: { who: { type: "string" } }, required: ["who"] } }] },
  { name: "fails", description: "Fails." },
  { name: "../evil", description: "x" },
  { name: "Read", description: "Not the real one." },
  { name: "hangs", description: "Hangs." },
]))`;
const CALL = `
const name = process.argv.at(-1);
let text = "";
for await (const chunk of process.stdin) text += chunk;
if (name === "fails") { console.error("went wrong"); process.exit(3); }
if (name === "hangs") { console.log("started"); setInterval(() => {}, 1000); } else
console.log("hello " + JSON.parse(text).who);
`;

async function session(list: string, more: HaftOptions & { project?: boolean } = {}) {
  const { project = false, ...options } = more;
  const place = places.make();
  const [lister, caller] = [join(place.base, "list tools.mjs"), join(place.base, "call.mjs")];
  writeFileSync(lister, list);
  writeFileSync(caller, CALL);
  const discovery = { command: `"${process.execPath}" '${lister}'`, callCommand: [process.execPath, caller] };
  if (project) {
    mkdirSync(join(place.cwd, ".haft"));
    writeFileSync(join(place.cwd, ".haft/settings.json"), JSON.stringify({ discovery }));
  }
  const notices: Notice[] = [];
  const asked: string[] = [];
  const open = () =>
    places.open({
      ...{ ...place.options, onNotice: (notice) => notices.push(notice) },
      settings: project ? {} : { discovery },
      ask: async ({ title, tool }) => {
        asked.push(tool === "discovery" ? title : tool);
        return { behavior: "allow" };
      },
      ...options,
    });
  const found = () => notices.filter(({ code }) => code === "tool_discovery").map(({ message }) => message);
  return { ...place, haft: await open(), open, asked, notices: found };
}

it("R01 R02 V07 J05 a discovered tool is offered, asked about, gets its input on stdin and answers on stdout", async () => {
  const { haft, asked, notices } = await session(LIST);
  const { tools } = await haft.offer();
  expect(tools.find(({ name }) => name === "greet")?.entry.source.origin).toBe("discovered");
  expect(textOf(await haft.call("greet", { who: "it's $HOME `x`" })).trim()).toBe("hello it's $HOME `x`");
  expect(asked).toEqual(["greet"]);
  expect((await haft.call("greet", {})).error?.code).toBe("invalid_input");
  const failed = await haft.call("fails", {});
  expect(failed.error?.code).toBe("discovered_tool_failed");
  expect(failed.error?.message).toMatch(/3[\s\S]*Stdout: \(empty\)[\s\S]*Stderr: went wrong/);
  expect(textOf(failed)).toContain("went wrong");
  expect(notices().join("\n")).toMatch(/entry 3 has no valid name[\s\S]*cannot use the name "Read"/);
});

it("C14 discover() lists again: tools that vanished go, new ones come, and a source that fails keeps its own", async () => {
  const { haft, base, notices } = await session(LIST);
  const names = async () =>
    (await haft.offer()).tools.map(({ name }) => name).filter((name) => /^(?:greet|wave|fails|Read)$/.test(name));
  expect(await names()).toEqual(["Read", "greet", "fails"]);
  const list = (text: string) => writeFileSync(join(base, "list tools.mjs"), text);
  list(
    'console.log(JSON.stringify([{ name: "greet", description: "Greets." }, { name: "wave", description: "Waves." }]))',
  );
  await haft.discover();
  expect(await names()).toEqual(["Read", "greet", "wave"]);
  list("process.exit(1)");
  await haft.discover();
  expect(await names()).toEqual(["Read", "greet", "wave"]);
  expect(notices().join("\n")).toContain("exit code 1");
});

it("R02 an abort kills the program of a call", async () => {
  const { haft } = await session(LIST);
  await haft.offer();
  const stop = new AbortController();
  haft.on((event) => {
    if (event.type === "tool:execution:start") stop.abort();
  });
  expect((await haft.call("hangs", {}, { signal: stop.signal })).error?.code).toBe("cancelled");
});

it.each([
  ["prints no JSON", "console.log('nothing')", "not JSON"],
  ["fails", "console.error('broken'); process.exit(2)", "exit code 2: broken"],
  [
    "prints without end",
    "const big = 'x'.repeat(1e6); const go = () => process.stdout.write(big, go); go();",
    "more than 10000000 bytes",
  ],
])("R01 a discovery program that %s costs nothing but its tools", async (_, code, words) => {
  const { haft, notices } = await session(code);
  const { tools } = await haft.offer();
  expect(tools.map(({ name }) => name)).toContain("Read");
  expect(notices().join("\n")).toContain(words);
});

it("R01 a program that hangs is killed with the session", async () => {
  const { haft, base } = await session(
    "import { writeFileSync } from 'node:fs'; writeFileSync(new URL('pid', import.meta.url), String(process.pid)); setInterval(() => {}, 1000)",
  );
  const pid = Number(readFileSync(join(base, "pid"), "utf8"));
  expect(existsSync(`/proc/${pid}`)).toBe(true);
  await haft[Symbol.asyncDispose]();
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
});

it("R01 a project's program counts after trust, and starts after one yes", async () => {
  const untrusted = await session(LIST, { project: true, trusted: false });
  expect((await untrusted.haft.offer()).tools.map(({ name }) => name)).not.toContain("greet");
  expect(untrusted.asked).toEqual([]);
  const { haft, asked, open } = await session(LIST, { project: true, trusted: true });
  await expect.poll(async () => (await haft.offer()).tools.map(({ name }) => name)).toContain("greet");
  expect(asked).toEqual(["Start this project's tool discovery"]);
  const again = await open();
  expect((await again.offer()).tools.map(({ name }) => name)).toContain("greet");
  expect(asked).toHaveLength(1);
});

it("R01 no shell reads the command line", async () => {
  const place = places.make();
  const notices: string[] = [];
  await places.open({
    ...place.options,
    settings: { discovery: { command: "list; touch pwned", callCommand: "call" } },
    onNotice: ({ message }) => notices.push(message),
  });
  expect(notices.join("\n")).toContain("is not run in a shell");
});
