import { expect, it } from "vitest";
import { viewWorks } from "../../../../journal/test/support/view.ts";
import { scratch } from "../../../test/support/haft-process.ts";

const findingsOf = (stdout: string): { name: string; status: string; detail: string; cure?: string }[] =>
  JSON.parse(stdout).findings;

it("tells what this machine offers; a missing program has a cure; no key is shown", async () => {
  using place = scratch();
  const { code, stdout } = await place.haft(["doctor", "--json"], { env: { OPENAI_API_KEY: "sk-secret" } });
  expect(code).toBe(0);
  const findings = findingsOf(stdout);
  expect(findings.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["node", "ripgrep", "bash", "git", "sandbox", "state", "trust", "settings", "model"]),
  );
  for (const { status, cure } of findings) expect(status === "ok" || cure !== undefined).toBe(true);
  expect(findings.find(({ name }) => name === "model")?.detail).toBe("openai/gpt-5.6, because OPENAI_API_KEY is set");
  expect(stdout).not.toContain("sk-secret");
});

it("E24 names the model that would be used, or how to get one", async () => {
  using place = scratch();
  const model = async (env: Record<string, string>) =>
    findingsOf((await place.haft(["doctor", "--json"], { env })).stdout).find(({ name }) => name === "model");
  expect(await model({})).toMatchObject({ status: "missing", cure: expect.stringContaining("ANTHROPIC_API_KEY") });
  expect(await model({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" })).toMatchObject({
    status: "missing",
    cure: expect.stringContaining("With OPENAI_BASE_URL set, choose --model compatible/NAME, with or without a key."),
  });
  expect(await model({ HAFT_MODEL: "compatible/x" })).toMatchObject({ detail: "compatible/x, from HAFT_MODEL" });
  const emptied = { HAFT_MODEL: "", OPENAI_API_KEY: "k" };
  expect(await model(emptied)).toMatchObject({ detail: "openai/gpt-5.6, because OPENAI_API_KEY is set" });
  const { code, stderr } = await place.haft(["run", "hi"], { env: { HAFT_MODEL: "" } });
  expect([code, stderr]).toEqual([2, expect.stringContaining("No model is configured.")]);
});

it("L01 tells whether what commands change is kept, by trying it", async () => {
  using place = scratch();
  const undo = async (env: Record<string, string> = {}) =>
    findingsOf((await place.haft(["doctor", "--json"], { env })).stdout).find(({ name }) => name === "undo");
  // A command that leaves a note of what it changed is the proof.
  await place.haft(["call", "Bash", '{"command": "echo made > made.txt"}', "--allow", "Bash"]);
  const { stdout } = await place.haft(["undo", "--preview"]);
  expect(stdout).toContain("made.txt: file removed");
  expect((await undo())?.detail).toMatch(
    /^tier (?:view: commands run in a copy-on-write view|clone: commands run in a copy|direct: commands run in the)/,
  );
  expect(await undo({ HAFT_JOURNAL: "off" })).toMatchObject({
    status: "missing",
    cure: expect.stringContaining("HAFT_JOURNAL=off"),
  });
});

it.each([
  [
    "clone",
    /^tier clone: .* one after the other\. .* A copy will be made by the first command \(1 entry, \d+ bytes\); it (?:takes|shares)/,
  ],
  [
    "direct",
    /^tier direct: commands run in the workspace itself\. A copy will be made by the first command.* The setting journal\.tier is "direct"\.$/,
  ],
])("L01 tells what undo costs in the tier %s", async (tier, words) => {
  using place = scratch();
  const file = place.write("forced.json", JSON.stringify({ journal: { tier } }));
  const { stdout } = await place.haft(["doctor", "--json", "--settings", file]);
  const detail = findingsOf(stdout).find(({ name }) => name === "undo")?.detail;
  // If copies cannot be mounted, doctor says that the forced tier is missing.
  expect(detail).toMatch(tier === "clone" && !viewWorks("user-clone") ? /^tier direct/ : words);
});

it("V09 a broken settings file and a state folder that cannot be written are broken, by name", async () => {
  using place = scratch();
  const file = place.write(".haft/settings.json", "{ oops");
  const state = place.write("state", "a file where a folder should be");
  const { code, stdout } = await place.haft(["doctor", "--json"], { env: { HAFT_STATE_DIR: `${state}/below` } });
  expect(code).toBe(1);
  const broken = findingsOf(stdout).filter(({ status }) => status === "broken");
  expect(broken.map(({ name }) => name)).toEqual(["state", "settings"]);
  expect(broken[1]?.detail).toContain(file);
});
