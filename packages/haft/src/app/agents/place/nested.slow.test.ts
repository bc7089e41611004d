import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { agentSession, type Script, script, treeModel, turn } from "../../../../test/support/agents.ts";
import { sessionPlaces } from "../../../../test/support/session-places.ts";

const places = sessionPlaces("nested-places");
const agent = (prompt: string) => ({ description: "a part", prompt, isolation: "base" });

/** An agent in a copy whose own agent has a copy of that copy. */
async function nested(inner: Script, mode: "acceptEdits" | "bypassPermissions") {
  const model = treeModel({ Outer: script(turn(["Agent", agent("Inner")]), "Outer is done."), Inner: inner });
  const ask = async () => ({ behavior: "deny" }) as const;
  const session = await agentSession(places, model, { mode, ask });
  writeFileSync(join(session.cwd, "a.txt"), "1\n");
  return { ...session, model };
}

it("S01 an agent in the copy of a copy works without questions, and its changes arrive in the workspace", {
  tags: ["smoke"],
}, async () => {
  const edit = { file_path: "a.txt", old_string: "1", new_string: "one" };
  const inner = script(turn(["Read", { file_path: "a.txt" }], ["Edit", edit]), turn(["Bash", { command: "ls" }]));
  const { haft, asked, cwd } = await nested(inner, "acceptEdits");
  const result = await haft.call("Agent", agent("Outer"));
  expect(asked).toEqual([]);
  expect(result.output).toMatchObject({ filesModified: [join(cwd, "a.txt")] });
  // The reports of all agents name the workspace.
  expect(haft.agents?.list().map(({ filesModified }) => filesModified)).toEqual(Array(2).fill([join(cwd, "a.txt")]));
});

it("S01 an agent in the copy of a copy writes neither into that copy nor into the workspace", async () => {
  let folders: readonly string[] = [];
  const inner: Script = ({ system }, at) => {
    const [, outer = ""] = /is your own copy of (\S+);/.exec(system) ?? [];
    folders = [outer, cwd];
    const writes = folders.map((folder) => ["Write", { file_path: join(folder, "x.txt"), content: "x" }] as const);
    return at === 0 ? turn(...writes) : "Done.";
  };
  const { haft, cwd, model } = await nested(inner, "bypassPermissions");
  await haft.call("Agent", agent("Outer"));
  expect(new Set(folders).size).toBe(2);
  expect(existsSync(join(cwd, "x.txt"))).toBe(false);
  const told = JSON.stringify(model.requests.flatMap(({ messages }) => messages));
  for (const folder of folders) expect(told).toContain(`${folder} is read-only for an agent that works in a copy`);
});
