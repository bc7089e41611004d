import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentSession, treeModel } from "../../../test/support/agents.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";

const places = sessionPlaces("hooked");

/** A hook that writes down its event, and one that refuses whatever holds a word. */
const noted = (file: string) => [
  { hooks: [{ type: "command" as const, command: `printf "%s\\n" "$(cat)" >> ${file}` }] },
];
const refusing = (word: string) => [
  { hooks: [{ type: "command" as const, command: `grep -q ${word} && { echo "no ${word}" >&2; exit 2; }; :` }] },
];
const eventsIn = (file: string): readonly Record<string, unknown>[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("hooks at further events", () => {
  it("E23 TaskCreated and TaskCompleted may refuse, with their reason", async () => {
    const place = places.make();
    const hooks = { TaskCreated: refusing("vague"), TaskCompleted: refusing("untested") };
    const haft = await places.open({ ...place.options, settings: { hooks } });
    const bad = await haft.call("TaskCreate", { subject: "vague work", description: "d" });
    expect(bad.error).toMatchObject({ code: "denied_by_hook", message: expect.stringContaining("no vague") });
    expect((await haft.call("TaskCreate", { subject: "untested work", description: "d" })).error).toBeUndefined();
    const tasks = JSON.stringify((await haft.call("TaskList", {})).output);
    expect(tasks).not.toContain("vague");
    const [, id] = /"id":"(\d+)"/.exec(tasks) ?? [];
    const ended = await haft.call("TaskUpdate", { taskId: id, status: "completed" });
    expect(ended.error?.code).toBe("denied_by_hook");
  });

  it("E23 SubagentStart adds context, SubagentStop lets an agent go on", async () => {
    const file = join(places.make().base, "events");
    const seen: string[] = [];
    const model = treeModel({
      "[SubagentStart hook]": (request) => {
        seen.push(JSON.stringify(request.messages));
        return "Done.";
      },
    });
    const start = `cat >> ${file}; echo '{"hookSpecificOutput":{"additionalContext":"Use tabs."}}'`;
    const stop = `cat > ${file}.stop; grep -q '"stop_hook_active":false' ${file}.stop && { echo 'Run the tests.' >&2; exit 2; }; :`;
    const { haft } = await agentSession(places, model, {
      settings: {
        hooks: {
          SubagentStart: [{ matcher: "general", hooks: [{ type: "command", command: start }] }],
          SubagentStop: [{ hooks: [{ type: "command", command: stop }] }],
        },
      },
    });
    await haft.call("Agent", { description: "a part", prompt: "Do it." });
    expect(eventsIn(file)).toMatchObject([{ hook_event_name: "SubagentStart", agent_id: "a1", agent_type: "general" }]);
    expect(seen[0]).toContain("Use tabs.");
    expect(seen).toHaveLength(2);
    expect(seen[1]).toContain("Run the tests.");
  });

  it("E23 Notification happens when a person is asked, ConfigChange when a skill has changed", async () => {
    const place = places.make();
    const [asked, changed] = [join(place.base, "asked"), join(place.base, "changed")];
    const haft = await places.open({
      ...{ ...place.options, trusted: true, ask: async () => ({ behavior: "allow" }) },
      settings: { hooks: { Notification: noted(asked), ConfigChange: noted(changed) } },
    });
    await haft.call("Bash", { command: "touch a" });
    await expect.poll(() => eventsIn(asked)).toMatchObject([{ notification_type: "permission_prompt" }]);
    mkdirSync(join(place.cwd, ".haft/skills/s"), { recursive: true });
    writeFileSync(join(place.cwd, ".haft/skills/s/SKILL.md"), "---\nname: s\ndescription: S.\n---\nS.");
    await haft.offer();
    await expect.poll(() => eventsIn(changed)).toMatchObject([{ hook_event_name: "ConfigChange", source: "skills" }]);
  });
});
