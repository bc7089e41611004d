import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ApprovalRequest } from "@haft/core/approval";
import { describe, expect, it } from "vitest";
import { agentProject } from "../../../test/support/agent-project.ts";
import { type Script, turn } from "../../../test/support/agents.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";

const places = sessionPlaces("agent-servers");
const told = fileURLToPath(new URL("../../../test/support/told-server.mjs", import.meta.url));

/** A line of an agent's head with a server of its own. `mark` is in the command line of its process. */
const own = (mark: string, name = "told") =>
  `mcpServers: ${JSON.stringify(["files", { [name]: { command: process.execPath, args: [told, mark] } }])}`;

/** Whether a process with this word in its command line runs. */
const isRunning = (mark: string): boolean =>
  readdirSync("/proc").some((id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0").includes(mark);
    } catch {
      return false;
    }
  });

const TELL = "mcp__told__tell";

/** A project with the agents `guest`, which brings a server, and `plain`. `yes` answers each question. */
async function project(mark: string, yes: (request: ApprovalRequest) => boolean, more: object = {}) {
  const asked: ApprovalRequest[] = [];
  const seen: { readonly tools: boolean; readonly runs: boolean }[] = [];
  const look: Script = ({ tools }, at) => {
    seen.push({ tools: tools.some(({ name }) => name === TELL), runs: isRunning(mark) });
    return at === 0 ? turn([TELL, {}]) : "Done.";
  };
  const made = await agentProject(
    places,
    { guest: `tools: Read\n${own(mark)}`, plain: "color: red", twin: own(mark, "known") },
    { Tell: look },
    {
      async ask(request) {
        asked.push(request);
        return yes(request) ? { behavior: "allow" } : { behavior: "deny", message: "no" };
      },
      ...more,
    },
  );
  return { ...made, asked, seen };
}

describe("servers in an agent's file", () => {
  it("S01 start for that agent after a person agreed once, have tools in it alone, and end with it", {
    tags: ["smoke"],
  }, async () => {
    const mark = `mark-${process.pid}-a`;
    const { start, haft, asked, seen, model } = await project(mark, () => true);
    const [mine, other] = await Promise.all([start("guest", "Tell"), start("plain", "Tell")]);
    expect([mine.error, other.error]).toEqual([undefined, undefined]);
    expect(seen.filter(({ tools }) => tools)).toEqual([
      { tools: true, runs: true },
      { tools: true, runs: true },
    ]);
    expect(seen.filter(({ tools }) => !tools)).toHaveLength(2);
    const results = JSON.stringify(model.requests.map(({ messages }) => messages.at(-1)));
    expect(results).toContain(mark);
    expect(results).toContain(`There is no tool \\"${TELL}\\"`);
    expect((await haft.offer()).tools.map(({ name }) => name)).not.toContain(TELL);
    expect(haft.registry.get(TELL)).toBeUndefined();
    expect(isRunning(mark)).toBe(false);
    const [consent] = asked.filter(({ tool }) => tool === "mcp__told");
    expect(consent).toMatchObject({
      agent: { name: "guest", parent: "main" },
      show: { text: expect.stringContaining(mark) },
    });
    await start("guest", "Tell");
    expect(asked.filter(({ tool }) => tool === "mcp__told")).toHaveLength(1);
  });

  it("S01 a person's no leaves the agent without them, and so does a session that starts no servers", async () => {
    const mark = `mark-${process.pid}-b`;
    const refused = await project(mark, ({ tool }) => tool !== "mcp__told");
    expect((await refused.start("guest", "Tell")).error).toBeUndefined();
    expect(refused.seen.map(({ tools, runs }) => tools || runs)).toEqual([false, false]);
    const results = JSON.stringify(refused.model.requests.map(({ messages }) => messages.at(-1)));
    expect(results).toContain("start the agent in a terminal");
    expect(results).not.toContain("haft mcp approve");
    const without = await project(mark, () => true, { mcpServers: false });
    await without.start("guest", "Tell");
    expect(without.seen.map(({ tools, runs }) => tools || runs)).toEqual([false, false]);
    expect(without.asked).toEqual([]);
  });

  it("S01 the session's server of the same name counts, a person stops the wait, and an untrusted project starts none", async () => {
    const mark = `mark-${process.pid}-c`;
    const settings = { mcpServers: { known: { command: process.execPath, args: [told, "session"] } } };
    const known = await project(mark, () => true, { settings });
    await known.start("twin", "Tell");
    expect(known.seen.some(({ runs }) => runs)).toBe(false);
    expect(known.notices.join()).toContain('The MCP server "known" of the agent twin does not start');
    const asked = Promise.withResolvers<void>();
    const waiting = await project(mark, () => true, {
      ask: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const stop = new AbortController();
    const run = waiting.haft.call(
      "Agent",
      { description: "x", prompt: "Tell", subagent_type: "guest" },
      { signal: stop.signal },
    );
    await asked.promise;
    stop.abort();
    expect((await run).error?.code).toBe("cancelled");
    const strange = await project(mark, () => true, { trusted: false });
    expect((await strange.start("guest", "Tell")).error?.message).toContain('There is no agent "guest"');
    expect(isRunning(mark)).toBe(false);
  });
});
