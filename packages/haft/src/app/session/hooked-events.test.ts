import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { agentSessions } from "../../../test/support/agent-sessions.ts";
import { agentSession, script, treeModel } from "../../../test/support/agents.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";

const sessions = agentSessions("hooked-events");
const places = sessionPlaces("hooked-teams");

/** A hook that writes down its event, and one that refuses whatever holds a word. */
const noted = (file: string, matcher?: string) => [
  {
    ...(matcher ? { matcher } : {}),
    hooks: [{ type: "command" as const, command: `printf "%s\\n" "$(cat)" >> ${file}` }],
  },
];
const refusing = (word: string) => [
  { hooks: [{ type: "command" as const, command: `grep -q ${word} && { echo "no ${word}" >&2; exit 2; }; :` }] },
];
const eventsIn = (file: string): readonly Record<string, unknown>[] => {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  } catch {
    return [];
  }
};

it("E23 PermissionDenied tells which call was refused, and why", async () => {
  const place = sessions.make();
  const file = join(place.base, "events");
  const settings = {
    hooks: { PermissionDenied: noted(file, "Bash") },
    permissions: { deny: ["Bash(touch *)", "Write"] },
  };
  const { session } = await sessions.open([], { ...place.options, settings });
  await session.haft.call("Bash", { command: "touch a" }, { id: "c1" });
  await session.haft.call("Bash", { command: "echo fine" });
  await expect.poll(() => eventsIn(file)).toHaveLength(1);
  expect(eventsIn(file)[0]).toMatchObject({
    ...{ hook_event_name: "PermissionDenied", tool_name: "Bash", tool_input: { command: "touch a" } },
    ...{ tool_use_id: "c1", reason: expect.stringContaining("Bash(touch *)") },
  });
});

it("E23 UserPromptExpansion refuses a command, or adds words to its prompt", async () => {
  const place = sessions.make();
  mkdirSync(join(place.cwd, ".haft/commands"), { recursive: true });
  writeFileSync(join(place.cwd, ".haft/commands/ship.md"), "Ship $ARGUMENTS.");
  const adding = { hooks: [{ type: "command" as const, command: "echo remember the tests" }] };
  const hooks = { UserPromptExpansion: [...refusing("friday"), adding] };
  const options = { ...place.options, settings: { hooks }, trusted: true };
  const { session, model } = await sessions.open([[{ text: "Done." }]] as never, options);
  const ship = session.commands().find(({ name }) => name === "ship")!;
  expect(await ship.run("friday")).toEqual({ text: "/ship was not sent: no friday" });
  await ship.run("monday");
  const sent = JSON.stringify(model.requests.map(({ messages }) => messages));
  expect(sent).toContain("Ship monday.");
  expect(sent).toContain("remember the tests");
});

it("E23 FileChanged tells of files in the folder, by name", async () => {
  const place = sessions.make();
  const file = join(place.base, "events");
  writeFileSync(join(place.cwd, ".env"), "A=1");
  const settings = { hooks: { FileChanged: noted(file, ".env") } };
  await sessions.open([], { ...place.options, settings });
  writeFileSync(join(place.cwd, "other.txt"), "x");
  writeFileSync(join(place.cwd, ".env"), "A=22");
  await expect.poll(() => eventsIn(file).map(({ event }) => event)).toContain("change");
  rmSync(join(place.cwd, ".env"));
  await expect.poll(() => eventsIn(file).map(({ event }) => event)).toContain("unlink");
  expect(new Set(eventsIn(file).map(({ file_path }) => file_path))).toEqual(new Set([join(place.cwd, ".env")]));
});

it("E23 InstructionsLoaded tells each instruction file once", async () => {
  const place = sessions.make();
  const file = join(place.base, "events");
  writeFileSync(join(place.cwd, "AGENTS.md"), "Be brief. @more.md");
  writeFileSync(join(place.cwd, "more.md"), "Use tabs.");
  const settings = { hooks: { InstructionsLoaded: noted(file) } };
  const { session } = await sessions.open([], { ...place.options, settings, trusted: true });
  await session.haft.instructions();
  await session.haft.instructions();
  await expect.poll(() => eventsIn(file)).toHaveLength(2);
  const found = eventsIn(file).map(({ file_path, memory_type, load_reason }) => [file_path, memory_type, load_reason]);
  expect(found.toSorted()).toEqual([
    [join(place.cwd, "AGENTS.md"), "Project", "session_start"],
    [join(place.cwd, "more.md"), "Project", "include"],
  ]);
});

it("E23 PreModelSwitch refuses a model, StopFailure tells of an error of the model's server", async () => {
  const place = sessions.make();
  const file = join(place.base, "events");
  const hooks = {
    PreModelSwitch: refusing("huge"),
    PostModelSwitch: noted(file),
    StopFailure: noted(file, "rate_limit"),
  };
  const failing = (name: string) => ({
    name,
    async *step() {
      yield { type: "error" as const, error: Object.assign(new Error("slow down"), { statusCode: 429 }) };
    },
  });
  const options = { ...place.options, settings: { hooks }, openModel: (name: string) => failing(name) as never };
  const { session } = await sessions.open([], options);
  await expect(session.setModel("x/huge")).rejects.toMatchObject({ code: "denied_by_hook" });
  await session.setModel("x/small");
  expect((await session.prompt("Hi.")).reason).toBe("error");
  await expect.poll(() => eventsIn(file)).toHaveLength(2);
  expect(eventsIn(file)).toMatchObject([
    { hook_event_name: "PostModelSwitch", to_model: "x/small" },
    { hook_event_name: "StopFailure", error: "rate_limit", error_details: expect.stringContaining("slow down") },
  ]);
});

it("E23 TeammateIdle lets a member of a team go on", async () => {
  const marker = join(sessions.make().base, "once");
  const command = `cat > /dev/null; [ -e ${marker} ] || { touch ${marker}; echo "check the tasks" >&2; exit 2; }`;
  const model = treeModel({ Work: script("Done.", "Checked.") });
  const hooks = { TeammateIdle: [{ hooks: [{ type: "command" as const, command }] }] };
  const { haft } = await agentSession(places, model, { settings: { gates: { agentSwarms: true }, hooks } });
  await haft.call("TeamCreate", { team_name: "crew" });
  await haft.call("Agent", { prompt: "Work", description: "w", team_name: "crew" });
  expect(model.requests).toHaveLength(2);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("[TeammateIdle hook] check the tasks");
  await haft.call("Agent", { prompt: "Work", description: "alone" });
  expect(model.requests).toHaveLength(3);
});
