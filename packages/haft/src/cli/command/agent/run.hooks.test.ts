import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { call, say, streamOf } from "../../../../../../test/support/anthropic-wire.ts";
import { wireServer } from "../../../../../../test/support/wire-server.ts";
import { jsonLines, type Scratch, scratch } from "../../../../test/support/haft-process.ts";

let place: Scratch;

beforeEach(() => {
  place = scratch();
  place.write("a.txt", "hello\n");
});
afterEach(() => place[Symbol.dispose]());

const done = (text: string) => ({ events: streamOf([say(text)]) });
const key = (url: string) => ({ ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${url}/v1` });
const hook = (command: string) => [{ hooks: [{ type: "command", command }] }];

/** `haft run` in a trusted folder with these hooks; the bodies of the model requests come back with it. */
async function runWith(hooks: object, turns: Parameters<typeof wireServer>[0]) {
  place.write(".haft/settings.json", JSON.stringify({ hooks }));
  await place.haft(["trust"]);
  await using server = await wireServer(turns);
  const ended = await place.haft(["run", "Work.", "--model", "anthropic/claude-test", "--json"], {
    env: key(server.url),
  });
  const said = server.bodies.map((body) => JSON.stringify(JSON.parse(body).messages));
  return { ...ended, said, end: jsonLines(ended.stdout).at(-1) };
}

it("E23 hooks hear the session start, the prompt and the end, and their output reaches the model", async () => {
  const { code, said } = await runWith(
    {
      SessionStart: hook("cat >> ../start.json; echo it is friday"),
      UserPromptSubmit: hook("cat >> ../prompt.json; echo use tabs"),
      SessionEnd: hook("cat >> ../end.json"),
    },
    [done("Done.")],
  );
  expect(code).toBe(0);
  expect(said[0]).toMatch(/SessionStart hook.*it is friday.*UserPromptSubmit hook.*use tabs.*Work\./);
  const told = (name: string) => JSON.parse(readFileSync(join(place.cwd, "..", `${name}.json`), "utf8"));
  expect(told("start")).toMatchObject({ source: "startup", model: expect.stringContaining("claude-test") });
  expect(told("prompt")).toMatchObject({ prompt: "Work." });
  expect(told("end")).toMatchObject({ hook_event_name: "SessionEnd", reason: "other" });
});

it("E23 a prompt that a hook blocks does not reach the model, and the run says why", async () => {
  const { code, said, end } = await runWith({ UserPromptSubmit: hook("echo 'no passwords in prompts' >&2; exit 2") }, [
    done("Done."),
  ]);
  expect([code, said.length]).toEqual([3, 0]);
  expect(end).toMatchObject({ type: "end", reason: "stopped", why: expect.stringContaining("no passwords") });
});

it("E23 a Stop hook keeps the turn going until it is content", async () => {
  const script = "cat >> ../stops; test -f ../once && exit 0; touch ../once; echo 'run the tests first' >&2; exit 2";
  const { code, said, end } = await runWith({ Stop: hook(script) }, [done("Done."), done("Tested.")]);
  expect(code).toBe(0);
  expect(said).toHaveLength(2);
  expect(said[1]).toMatch(/Done\..*Stop hook.*run the tests first/);
  expect(end).toMatchObject({ reason: "answered", text: "Tested." });
  expect(readFileSync(join(place.cwd, "../stops"), "utf8")).toMatch(
    /"stop_hook_active":false.*"stop_hook_active":true/s,
  );
});

it("E23 a Stop hook that never lets go is overruled after eight times, and continue: false ends the run", async () => {
  const endless = await runWith(
    { Stop: hook("echo more >&2; exit 2") },
    Array.from({ length: 12 }, (_, index) => done(`Answer ${index + 1}.`)),
  );
  expect(endless.said).toHaveLength(9);
  expect(endless.end).toMatchObject({ reason: "answered", text: "Answer 9." });
  const ended = await runWith({ Stop: hook(`echo '{"continue": false, "stopReason": "budget"}'`) }, [done("Done.")]);
  expect(ended.end).toMatchObject({ reason: "stopped", why: "budget" });
});

it("E23 a PostToolBatch hook's text is in the next request of the model", async () => {
  const { said } = await runWith(
    {
      PostToolBatch: hook(
        `echo '{"hookSpecificOutput":{"hookEventName":"PostToolBatch","additionalContext":"lint is red"}}'`,
      ),
    },
    [{ events: streamOf([call("t1", "Read", { file_path: "a.txt" })]) }, done("Done.")],
  );
  expect(said[1]).toContain("lint is red");
});

it("E23 hooks of a folder that is not trusted hear nothing of the session", async () => {
  place.write(".haft/settings.json", JSON.stringify({ hooks: { SessionStart: hook("touch ../ran") } }));
  await using server = await wireServer([done("Done.")]);
  await place.haft(["run", "Work.", "--model", "anthropic/claude-test"], { env: key(server.url) });
  expect(existsSync(join(place.cwd, "../ran"))).toBe(false);
});

it("E24 a hook's message stands in a line of its own, and cannot talk to the terminal", async () => {
  place.write(
    ".haft/settings.json",
    JSON.stringify({ hooks: { PreToolUse: hook("printf '\\033[31mred' >&2; exit 1") } }),
  );
  await place.haft(["trust"]);
  const { stderr } = await place.haft(["call", "Read", '{"file_path":"a.txt"}']);
  expect(stderr).toMatch(/^PreToolUse hook "printf.*": it ended with exit code 1 \(␛\[31mred\)$/m);
  for (const wrong of ["Warning", "\u001b"]) expect(stderr).not.toContain(wrong);
  const log = await place.haft(["log", "--session", "last"]);
  expect(log.stdout).toMatch(/^\S+ told: PreToolUse hook "printf.*": it ended with exit code 1 \(␛\[31mred\)$/m);
});
