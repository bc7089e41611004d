import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HAFT, type Scratch, scratch } from "../../../test/support/haft-process.ts";
import { hasTmux, openTmux } from "../../../test/support/tmux.ts";

// The interactive prompt in a real terminal.
const { tmux, open, screen, shows, enter, close } = openTmux("prompt");

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => {
  close();
  place[Symbol.dispose]();
});

/** Starts haft in a terminal of 110 columns. */
async function start(env: Record<string, string> = {}): Promise<void> {
  open(place, 110, [process.execPath, ...HAFT, "--plain"], env);
  await shows("/help lists");
}

it.skipIf(!hasTmux)(
  "U10 every key says what it would keep; always is saved and shown, and not asked again",
  async () => {
    await start();
    enter('Bash {"command": "make all"}');
    await shows("p = always, in this project (.haft/settings.local.json): Bash(make all)");
    await shows("Allow? [y/N/a/p/u/e]");
    enter("q");
    await shows("Please answer y or n");
    enter("p");
    await shows("allowed from now on, saved in");
    expect(readFileSync(join(place.cwd, ".haft/settings.local.json"), "utf8")).toContain('"Bash(make all)"');
    tmux("send-keys", "-t", "0", "-R");
    tmux("clear-history", "-t", "0");
    enter('Bash {"command": "make all # again"}');
    await shows("exit code");
    expect(screen()).not.toContain("Allow?");
  },
);

it.skipIf(!hasTmux)(
  "F23 U09 a proposed file is changed in the editor, shown again as a diff, and written as changed",
  async () => {
    const editor = place.write("editor.sh", 'printf "from the editor\\n" > "$1"\n');
    await start({ EDITOR: `sh ${editor}` });
    enter('Write {"file_path": "a.txt", "content": "from the model\\n"}');
    await shows("e = change it first, in an editor");
    expect(screen()).toContain("1 + from the model");
    enter("e");
    await shows("✓ user changed Write");
    await shows("1 + from the editor");
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false);
    enter("y");
    await expect.poll(() => existsSync(join(place.cwd, "a.txt")), { timeout: 10_000 }).toBe(true);
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("from the editor\n");
    // The prompt works on after the editor had the terminal.
    enter("/mode");
    await shows("Mode default.");
  },
);

it.skipIf(!hasTmux)(
  "F11 U09 an Enter from before a question could be read does not answer it",
  { tags: ["smoke"] },
  async () => {
    const input = JSON.stringify({ file_path: "ahead.txt", content: "x" });
    const call = [process.execPath, ...HAFT, "call", "Write", input].map((word) => `'${word}'`).join(" ");
    // Standard input is read from the moment in which the question stands: until then the terminal keeps what is typed.
    open(place, 110, ["/bin/sh", "-c", `echo begun; sleep 1; ${call}; echo ended; sleep 30`]);
    await shows("begun");
    enter("");
    enter("y");
    await shows("Allow? [Y/n");
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(screen()).not.toContain("ended");
    expect(existsSync(join(place.cwd, "ahead.txt"))).toBe(false);
    enter("y");
    await shows("ended");
    expect(existsSync(join(place.cwd, "ahead.txt"))).toBe(true);
  },
);
