import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { scratch } from "../packages/haft/test/support/haft-process.ts";
import { hasTmux, openTmux } from "../packages/haft/test/support/tmux.ts";
import { call, say, streamOf } from "./support/anthropic-wire.ts";
import { patience } from "./support/patience.ts";
import { wireServer } from "./support/wire-server.ts";

const script = fileURLToPath(new URL("../examples/first-session/start.mjs", import.meta.url));

it.skipIf(!hasTmux)(
  "U09 after npm start three keys besides the task lead to an approved change, and leaving offers nothing that is gone",
  { timeout: patience(60_000), tags: ["smoke"] },
  async () => {
    using place = scratch();
    const file = join(place.cwd, "made.txt");
    const { tmux, open, screen, shows, close } = openTmux("first-session");
    await using server = await wireServer([
      { events: streamOf([call("c1", "Bash", { command: `touch '${file}'` })]) },
      { events: streamOf([say("It is there.")]) },
    ]);
    const env = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${server.url}/v1`, HAFT_THEME: "dark" };
    try {
      open(place, 100, ["/bin/sh", "-c", `'${process.execPath}' '${script}'; echo left with $?; sleep 60`], env);
      await shows("Allow? [Y/n]");
      tmux("send-keys", "-t", "0", "Enter");
      await shows("mode default");
      tmux("send-keys", "-t", "0", "-l", "make it");
      tmux("send-keys", "-t", "0", "Enter");
      await shows("Yes");
      expect(existsSync(file)).toBe(false);
      tmux("send-keys", "-t", "0", "y");
      await shows("It is there.");
      expect(existsSync(file)).toBe(true);
      tmux("send-keys", "-t", "0", "C-c");
      await shows("Ctrl-C again exits");
      tmux("send-keys", "-t", "0", "C-c");
      await shows("left with 0");
      expect(screen()).not.toContain("resumes this conversation");
    } finally {
      close();
    }
  },
);
