// Each field of a tool made with `buildTool` changes something that a program or a person sees, and docs/tool-fields.md says
// what it follows from.
import { readFileSync } from "node:fs";
import { buildTool, fromBuildTool, type ToolDef } from "@haft/core/compat/build-tool";
import type { CallEvent } from "@haft/core/executor";
import { contentsText } from "@haft/core/tool";
import type { HaftOptions } from "haft";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { closeSessions, type ShapeSession, shapeSession } from "./session.ts";

afterAll(closeSessions);

const inputSchema = z.object({ name: z.string(), path: z.string().optional() });
type Def = ToolDef<typeof inputSchema, string>;
type Field = keyof ToolDef;
type Ask = Parameters<Extract<HaftOptions["ask"], (...args: never[]) => unknown>>[0];

interface Session extends ShapeSession {
  readonly requests: Map<string, Ask>;
  readonly events: CallEvent[];
}

/** The effect of a field: `base` is in both tools, `more` in one of them, and `seen` must differ. */
interface Case {
  readonly base?: Partial<Def>;
  readonly more: Partial<Def>;
  seen(session: Session, name: string): unknown;
}

const call = async ({ haft }: Session, name: string, input: object = { name: "x" }) => haft.call(name, input);
const text = async (session: Session, name: string) => contentsText((await call(session, name)).content);
const code = async (session: Session, name: string) => (await call(session, name)).error?.code ?? "ok";
const offered = async ({ haft }: Session, name: string) =>
  (await haft.offer()).tools.find((tool) => tool.name === name);
/** When the definition reaches a model; packages/core/src/registry/deferral.test.ts holds the effect on requests. */
const place = ({ haft }: Session, name: string) => haft.registry.get(name)?.tool.offer;
const effects = async ({ haft }: Session, name: string) =>
  (await haft.explain(name, { name: "x", path: "a.ts" })).effects;
const asked = async (session: Session, name: string) => {
  await call(session, name);
  return session.requests.get(name);
};
const event = async (session: Session, name: string) => {
  await call(session, name);
  return session.events.flatMap((one) => (one.type === "tool:execution:start" && one.call.tool === name ? [one] : []));
};
/** Whether two calls of one batch were in the tool at the same time. */
const overlap = () => {
  let inside = 0;
  let most = 0;
  return {
    async call({ name }: { name: string }) {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      return { data: `${name}${most}` };
    },
  };
};

const traits = async (session: Session, name: string) => (await event(session, name))[0]?.traits;
/** Whether an abort in the middle of a call ends it. */
let stop = new AbortController();
async function aborted({ haft }: Session, name: string): Promise<string | undefined> {
  stop = new AbortController();
  const [outcome] = await haft.run([{ id: "c1", tool: name, input: { name: "x" } }], { signal: stop.signal });
  return outcome && `${outcome.status} ${contentsText(outcome.result.content)}`;
}
const stopsItself: Def["call"] = async (_input, { abortController }) => {
  stop.abort();
  return { data: String(abortController.signal.aborted) };
};
const reads = { isReadOnly: () => true } as const;
const said = (content: string) => (_: string, tool_use_id: string) => ({
  ...{ type: "tool_result" as const, tool_use_id, content },
});

const CASES: Readonly<Record<Field, Case>> = {
  name: { more: { name: "other_name" }, seen: async (session, name) => (await offered(session, name)) !== undefined },
  inputSchema: { more: { inputSchema: z.object({ name: z.number() }) as never }, seen: code },
  inputJSONSchema: {
    more: { inputJSONSchema: { type: "object", properties: { name: { type: "number" } } } },
    seen: code,
  },
  mcpInfo: { more: { mcpInfo: { serverName: "far", toolName: "go" } }, seen: code },
  outputSchema: {
    more: { outputSchema: z.string() },
    seen: async (session, name) => (await offered(session, name))?.entry.tool.output !== undefined,
  },
  description: {
    more: { description: async () => "Waves." },
    seen: async (session, name) => (await offered(session, name))?.description,
  },
  prompt: {
    more: { prompt: () => "Greet once a day." },
    seen: async ({ haft }) => (await haft.offer()).prompt.includes("Greet once a day."),
  },
  call: { more: { call: async () => ({ data: "other" }) }, seen: text },
  aliases: { more: { aliases: ["another_greeting"] }, seen: (session) => code(session, "another_greeting") },
  searchHint: {
    base: { description: async ({ name }) => `Greets ${name}.` },
    more: { searchHint: "says hello" },
    seen: async (session, name) => (await offered(session, name))?.description.replaceAll(name, ""),
  },
  shouldDefer: {
    more: { shouldDefer: true },
    seen: place,
  },
  alwaysLoad: {
    base: { shouldDefer: true },
    more: { alwaysLoad: true },
    seen: place,
  },
  isEnabled: { more: { isEnabled: () => false }, seen: code },
  validateInput: { more: { validateInput: async () => ({ result: false, message: "no" }) }, seen: code },
  checkPermissions: { more: { checkPermissions: async () => ({ behavior: "deny", message: "no" }) }, seen: code },
  isReadOnly: { more: reads, seen: effects },
  isDestructive: {
    more: { isDestructive: () => false },
    seen: async (session, name) => (await asked(session, name))?.destructive,
  },
  isConcurrencySafe: {
    base: reads,
    more: { isConcurrencySafe: () => false },
    async seen({ haft }, name) {
      const calls = ["c1", "c2"].map((id) => ({ id, tool: name, input: { name: "x" } }));
      return (await haft.run(calls)).map(({ result }) => contentsText(result.content));
    },
  },
  interruptBehavior: {
    base: { interruptBehavior: () => "cancel", call: stopsItself },
    more: { interruptBehavior: () => "block" },
    seen: aborted,
  },
  maxResultSizeChars: {
    base: { call: async () => ({ data: "x".repeat(5_000) }) },
    more: { maxResultSizeChars: 1_000 },
    seen: async (session, name) => (await text(session, name)).includes("x".repeat(5_000)),
  },
  mapToolResultToToolResultBlockParam: { more: { mapToolResultToToolResultBlockParam: said("mapped") }, seen: text },
  renderToolUseMessage: {
    more: { renderToolUseMessage: ({ name }) => `Greeting ${name}` },
    seen: async (session, name) => (await asked(session, name))?.title.replaceAll(name, ""),
  },
  renderToolResultMessage: {
    more: { renderToolResultMessage: (output) => `shown: ${output}` },
    seen: async (session, name) => (await call(session, name)).display,
  },
  backfillObservableInput: {
    more: { backfillObservableInput: () => ({ place: "here" }) },
    seen: async (session, name) => (await asked(session, name))?.input,
  },
  isSearchOrReadCommand: {
    base: reads,
    more: { isSearchOrReadCommand: () => ({ isSearch: false, isRead: true }) },
    seen: traits,
  },
  preparePermissionMatcher: {
    more: { preparePermissionMatcher: () => (specifier) => specifier !== "kind" },
    seen: code,
  },
  getPath: { base: reads, more: { getPath: ({ path }) => path }, seen: effects },
  getActivityDescription: {
    more: { getActivityDescription: () => "Being kind" },
    seen: async (session, name) => (await event(session, name))[0]?.activity,
  },
};
const FIELDS = Object.keys(CASES) as Field[];

/** A session with one tool for each field, each with or without what its case changes. */
async function sessionWith(prefix: string, isChanged: boolean): Promise<Session> {
  const requests = new Map<string, Ask>();
  const tools = FIELDS.map((field) => {
    const { base, more } = CASES[field];
    const own =
      field === "isConcurrencySafe"
        ? overlap()
        : { call: async ({ name }: { name: string }) => ({ data: `hello ${name}` }) };
    const common = { name: `${prefix}${field}`, inputSchema, description: async () => "Greets." };
    return fromBuildTool(
      buildTool<typeof inputSchema, string>({ ...common, ...own, ...base, ...(isChanged ? more : {}) } as Def),
    );
  });
  const session = await shapeSession({
    tools,
    loopGuard: false,
    settings: {
      hooks: {
        PreToolUse: [
          { hooks: [{ type: "command", command: "exit 2", if: `${prefix}preparePermissionMatcher(kind)` }] },
        ],
      },
    },
    rules: { deny: ["mcp__far"] },
    async ask(request) {
      requests.set(request.tool, request);
      return { behavior: "allow" };
    },
  });
  const events: Session["events"] = [];
  session.haft.on((one) => void events.push(one as CallEvent));
  return { ...session, requests, events };
}

describe("the 28 fields of a tool made with buildTool", () => {
  let plain: Session;
  let changed: Session;
  beforeAll(async () => {
    [plain, changed] = await Promise.all([sessionWith("f_", false), sessionWith("f_", true)]);
  });

  it.each(FIELDS)("A46 %s changes what a call or the offer shows", async (field) => {
    const { seen } = CASES[field];
    expect(await seen(changed, `f_${field}`)).not.toEqual(await seen(plain, `f_${field}`));
  });

  it("A46 docs/tool-fields.md has a row for each field and no other", () => {
    const page = readFileSync(new URL("../../docs/tool-fields.md", import.meta.url), "utf8");
    const rows = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(rows.toSorted()).toEqual(FIELDS.toSorted());
    expect(FIELDS).toHaveLength(28);
  });
});
