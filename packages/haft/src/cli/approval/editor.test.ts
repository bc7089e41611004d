import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createHaft } from "../../app/create-haft.ts";
import { PLAIN } from "../../draw/style.ts";
import { openEditor } from "../../terminal/approval/editor.ts";
import { personAsker } from "./ask-person.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-editor-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** An editor that is a script; `$1` is the file. */
function editor(script: string): void {
  const path = join(folder, "editor.sh");
  writeFileSync(path, script);
  vi.stubEnv("VISUAL", `sh ${path}`);
}

const editing = (text: string, suffix = ".ts") => openEditor({ text, suffix });

it("F23 the text lies in a file of the right kind that only its owner may read, and is gone afterwards", async () => {
  editor(`stat -c '%a %n' "$(dirname "$1")" "$1" > ${folder}/seen; printf changed > "$1"`);
  expect(await editing("old")).toEqual({ text: "changed" });
  const [[mode, dir], [fileMode, file]] = readFileSync(join(folder, "seen"), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" ")) as [[string, string], [string, string]];
  expect([mode, fileMode, file.endsWith("/proposed.ts")]).toEqual(["700", "600", true]);
  expect(readdirSync(tmpdir())).not.toContain(dir.split("/").at(-1));
});

it.each([
  ["exit 3", "exit code 3"],
  ["true", "was not changed"],
  ['rm "$1"', "result cannot be read"],
  ["kill -9 $$", "Set VISUAL or EDITOR|ended"],
])("F23 an editor that does %j has changed nothing", async (script, why) => {
  editor(script);
  const result = await editing("old");
  expect("why" in result && result.why).toMatch(new RegExp(why));
});

it("F23 EDITOR counts where VISUAL is not set, and a missing editor says what to do", async () => {
  vi.stubEnv("VISUAL", "");
  vi.stubEnv("EDITOR", "no-such-editor-here");
  expect(await editing("old")).toEqual({ why: expect.stringContaining("Set VISUAL or EDITOR.") });
});

/** Haft with a person who types these answers. */
async function attended(typed: string[], rules: { deny?: string[] } = {}) {
  const shown: string[] = [];
  const ask = personAsker(
    PLAIN,
    (text) => shown.push(text),
    async () => typed.shift(),
  );
  const haft = await createHaft({ cwd: folder, home: folder, env: {}, settings: false, stateDir: false, ask, rules });
  return { haft, shown: () => shown.join("") };
}

it("F23 a command is changed, shown again, decided again and run; the model is told", async () => {
  editor(`printf 'printf edited > out.txt\\n' > "$1"`);
  const { haft, shown } = await attended(["e", "y"]);
  const result = await haft.call("Bash", { command: "printf first > out.txt" });
  expect(readFileSync(join(folder, "out.txt"), "utf8")).toBe("edited");
  expect(shown()).toContain("e = change it first");
  expect(shown().indexOf("printf first")).toBeLessThan(shown().indexOf("Bash: printf edited > out.txt"));
  expect(contentsText(result.content)).toContain("The user changed the input of this call before it ran");
  expect(contentsText(result.content)).toContain("printf edited > out.txt");
});

it("F23 proposed content is changed; a no to the changed call leaves everything was not changed", async () => {
  editor(`printf 'edited\\n' > "$1"`);
  const yes = await attended(["e", "y"]);
  await yes.haft.call("Write", { file_path: "a.txt", content: "proposed\n" });
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("edited\n");
  editor(`printf 'another piece\\n' > "$1"`);
  const piece = await attended(["e", "y"]);
  await piece.haft.call("Edit", { file_path: "a.txt", old_string: "edited", new_string: "a longer piece" });
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("another piece\n");
  const no = await attended(["e", "n"]);
  const refused = await no.haft.call("Write", { file_path: "b.txt", content: "proposed\n" });
  expect(refused.error?.code).toBe("denied_by_user");
  expect(readdirSync(folder)).not.toContain("b.txt");
});

it("F23 a command that a rule forbids stays forbidden, also if a person types it into the editor", async () => {
  editor(`printf 'git push origin main' > "$1"`);
  const { haft } = await attended(["e", "y"], { deny: ["Bash(git push *)"] });
  const result = await haft.call("Bash", { command: "make all" });
  expect(result.error?.code).toBe("denied_by_rule");
});

it("F23 an editor that fails brings the person back to the question", async () => {
  editor("exit 1");
  const { haft, shown } = await attended(["e", "n use cmake"]);
  const result = await haft.call("Bash", { command: "make all" });
  expect(shown()).toContain("exit code 1. Nothing has run.");
  expect(contentsText(result.content)).toContain("use cmake");
});
