import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { afterEach, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";
import type { Haft, HaftOptions } from "./haft.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A workspace beside another folder, with `bash` settings of the user or of the project. `nowhere`: the host names no folder. */
async function withBash(
  bash: object,
  { nowhere, ...options }: HaftOptions & { readonly nowhere?: true } = {},
  origin: "user" | "project" = "user",
) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-bash-")));
  folders.push(base);
  for (const name of ["work/.haft", "beside", "home/.config/haft"]) mkdirSync(join(base, name), { recursive: true });
  writeFileSync(join(base, "work/a.txt"), "one\n");
  writeFileSync(join(base, "beside/b.txt"), "two\n");
  const file = origin === "user" ? "home/.config/haft/settings.json" : "work/.haft/settings.json";
  writeFileSync(join(base, file), JSON.stringify({ bash }).replaceAll("$BASE", base));
  const home = join(base, "home");
  const place = nowhere ? {} : { cwd: join(base, "work") };
  const haft = await createHaft({ ...place, home, stateDir: join(base, "state"), env: {}, ...options });
  return { haft, base };
}

const code = async (haft: Haft, command: string) => (await haft.call("Bash", { command })).error?.code;

it("G09 V04 confirmDangerousCommands: false runs what would only ask, and nothing that is forbidden or guarded", async () => {
  expect(await code((await withBash({})).haft, "touch made")).toBe("needs_approval");
  const { haft, base } = await withBash({ confirmDangerousCommands: false });
  expect(await code(haft, 'touch made && python3 -c \'open("also", "w")\'')).toBeUndefined();
  expect([existsSync(join(base, "work/made")), existsSync(join(base, "work/also"))]).toEqual([true, true]);
  expect(await code(haft, "sudo touch root")).toBe("forbidden_command");
  expect(await code(haft, "echo x > .haft/settings.json")).toBe("needs_approval");
  expect(await code(haft, "rm -rf ~")).toBe("needs_approval");
  const denying = await withBash({ confirmDangerousCommands: false }, { rules: { deny: ["Bash(touch *)"] } });
  expect(await code(denying.haft, "touch made")).toBe("denied_by_rule");
});

it("G09 V10 a project cannot disable the question, trusted or not; its whitelist counts when it is trusted", async () => {
  for (const trusted of [true, false]) {
    const { haft } = await withBash({ confirmDangerousCommands: false }, { trusted }, "project");
    expect(await code(haft, "touch made")).toBe("needs_approval");
    expect(haft.notices.map(({ message }) => message).join()).toContain("confirmDangerousCommands");
    const listed = await withBash({ dangerousCommandWhitelist: ["touch"] }, { trusted }, "project");
    expect(await code(listed.haft, "touch made")).toBe(trusted ? undefined : "needs_approval");
  }
});

it("G09 V04 a whitelisted command is known by its words, alone and in compounds, and names its setting", async () => {
  const { haft, base } = await withBash({ dangerousCommandWhitelist: ["mkdir -p", "sudo"] });
  expect(await code(haft, "mkdir  -p made/deep")).toBeUndefined();
  expect(existsSync(join(base, "work/made/deep"))).toBe(true);
  for (const command of [
    "mkdir made2",
    "mkdir -p x && touch y",
    "mkdirx -p z",
    "env X=1 rm a.txt; mkdir -p q",
    "mkdir -p $(touch y)",
  ])
    expect([command, await code(haft, command)]).toEqual([command, "needs_approval"]);
  expect(await code(haft, "sudo id")).toBe("forbidden_command");
  const { decision } = await haft.explain("Bash", { command: "mkdir -p made" });
  expect(decision?.trace).toContainEqual(
    expect.objectContaining({
      rule: expect.objectContaining({ rule: "Bash(mkdir -p *)", file: expect.stringContaining("settings.json") }),
    }),
  );
});

it("G14 V04 allowedDirectories are read and written like the workspace; their neighbours are not", async () => {
  const write = (haft: Haft, file_path: string) => haft.call("Write", { file_path, content: "new\n" });
  const { haft, base } = await withBash({ allowedDirectories: ["$BASE/beside"] }, { mode: "acceptEdits" });
  const read = await haft.call("Read", { file_path: join(base, "beside/b.txt") });
  expect(contentsText(read.content)).toContain("two");
  expect((await write(haft, join(base, "beside/new.txt"))).error).toBeUndefined();
  expect(readFileSync(join(base, "beside/new.txt"), "utf8")).toBe("new\n");
  expect((await write(haft, join(base, "beside-evil/new.txt"))).error?.code).toBe("needs_approval");
  expect(await code(haft, `cat ${base}/beside/b.txt`)).toBeUndefined();
  const without = await withBash({}, { mode: "acceptEdits" });
  expect((await write(without.haft, join(without.base, "beside/new.txt"))).error?.code).toBe("needs_approval");
});

it("G11 V04 the boundary is the folder of the host, else of the settings, else of the process; for Bash and for files", async () => {
  const edits: HaftOptions = { mode: "acceptEdits" };
  const named = await withBash({ defaultWorkingDirectory: "$BASE/beside" }, edits);
  expect(named.haft.cwd).toBe(join(named.base, "work"));
  const { haft, base } = await withBash({ defaultWorkingDirectory: "$BASE/beside" }, { ...edits, nowhere: true });
  expect(haft.cwd).toBe(join(base, "beside"));
  expect(contentsText((await haft.call("Bash", { command: "pwd; cat b.txt" })).content)).toContain(
    `${base}/beside\ntwo`,
  );
  expect((await haft.call("Read", { file_path: "b.txt" })).error).toBeUndefined();
  expect((await haft.call("Read", { file_path: "../work/a.txt" })).error?.code).toBe("needs_approval");
  const none = await withBash({}, { nowhere: true });
  expect(none.haft.cwd).toBe(process.cwd());
  await expect(withBash({ defaultWorkingDirectory: "/no/such/folder" }, { nowhere: true })).rejects.toThrow(
    /defaultWorkingDirectory.*does not exist/,
  );
});

it("G11 tools.bash is another spelling of bash, and the top level wins", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-bash-")));
  folders.push(base);
  for (const name of ["one", "two", "home/.config/haft"]) mkdirSync(join(base, name), { recursive: true });
  const home = join(base, "home");
  const started = async (settings: object) => {
    writeFileSync(join(home, ".config/haft/settings.json"), JSON.stringify(settings));
    return (await createHaft({ home, stateDir: false, env: {} })).cwd;
  };
  const at = (name: string) => ({ defaultWorkingDirectory: join(base, name) });
  expect(await started({ tools: { bash: at("one") } })).toBe(join(base, "one"));
  expect(await started({ tools: { bash: at("one") }, bash: at("two") })).toBe(join(base, "two"));
});
