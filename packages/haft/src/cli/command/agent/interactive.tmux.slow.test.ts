import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HAFT, type Scratch, scratch } from "../../../../test/support/haft-process.ts";
import { serverEntry } from "../../../../test/support/mcp-workspace.ts";
import { hasTmux, openTmux } from "../../../../test/support/tmux.ts";

const { tmux, open, screen, shows, enter, close } = openTmux("interactive");

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => {
  close();
  place[Symbol.dispose]();
});

it.skipIf(!hasTmux)(
  "E24 news of a hook come above what is being typed, which stays as it is",
  { tags: ["smoke"] },
  async () => {
    place.write("a.txt", "one\n");
    const late = { type: "command", command: "while [ ! -e go ]; do sleep 0.1; done; exit 1", async: true };
    const settings = place.write(
      "hooks.json",
      JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Read", hooks: [late] }] } }),
    );
    open(place, 110, [process.execPath, ...HAFT, "--plain", "--settings", settings]);
    await shows("/help lists");
    enter('Read {"file_path": "a.txt"}');
    await shows("one");
    tmux("send-keys", "-t", "0", "half a thought");
    await shows("> half a thought");
    place.write("go", "");
    await shows("it ended with exit code 1");
    await expect.poll(screen).toMatch(/exit code 1\n> half a thought\s*$/);
    expect(screen().match(/half a thought/g)).toHaveLength(1);
  },
);

it.skipIf(!hasTmux)("E24 nothing pushes between a question and its answer: news wait for it", async () => {
  const late = { type: "command", command: "while [ ! -e go ]; do sleep 0.1; done; touch gone; exit 1", async: true };
  const settings = place.write(
    "hooks.json",
    JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Write", hooks: [late] }] } }),
  );
  open(place, 110, [process.execPath, ...HAFT, "--plain", "--settings", settings]);
  await shows("/help lists");
  enter('Write {"file_path": "a.txt", "content": "one"}');
  await expect.poll(screen).toMatch(/Allow\? \[.+\]\s*$/);
  const asked = screen();
  place.write("go", "");
  await expect.poll(() => existsSync(join(place.cwd, "gone"))).toBe(true);
  // The news are on their way by now.
  await delay(300);
  enter('!echo "typed"');
  await shows("it ended with exit code 1");
  expect(screen().startsWith(`${asked.trimEnd()} !echo`)).toBe(true);
});

it.skipIf(!hasTmux)("Q01 a prompt that its server keeps to itself is given up with Ctrl-C", async () => {
  const settings = place.write("mcp.json", JSON.stringify({ mcpServers: { deaf: serverEntry("rough", "deaf") } }));
  open(place, 110, [process.execPath, ...HAFT, "--plain", "--settings", settings]);
  await shows("/help lists");
  enter("/mcp__deaf__any");
  await delay(2_000);
  expect(screen()).not.toContain("interrupted");
  tmux("send-keys", "-t", "0", "C-c");
  await shows("interrupted by the user");
  enter('Read {"file_path": "none.txt"}');
  await shows("none.txt does not exist");
});
