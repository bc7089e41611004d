import { afterEach, expect, it } from "vitest";
import { say, streamOf } from "../../../../../../test/support/anthropic-wire.ts";
import { wireServer } from "../../../../../../test/support/wire-server.ts";
import { HAFT, scratch } from "../../../../test/support/haft-process.ts";
import { hasTmux, openTmux } from "../../../../test/support/tmux.ts";

const terminal = openTmux("print");
const { screen, shows } = terminal;
afterEach(terminal.close);

it.runIf(hasTmux)(
  "E16 `haft -p` on a terminal prints its answer and ends, though the terminal stays open for input",
  {
    tags: ["smoke"],
  },
  async () => {
    using place = scratch();
    await using server = await wireServer([{ events: streamOf([say("Four.")]) }]);
    const words = [process.execPath, ...HAFT].map((word) => `'${word}'`).join(" ");
    terminal.open(place, 100, ["sh", "-c", `${words} -p '2 + 2?' --model claude-test; echo "code $?"; read line`], {
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: `${server.url}/v1`,
    });
    await shows("code 0");
    expect(screen().trim()).toBe("Four.\ncode 0");
  },
);
