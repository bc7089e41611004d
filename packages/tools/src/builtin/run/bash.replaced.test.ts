import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createHost } from "@haft/host/process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bash } from "./bash.ts";

let place: string;
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "haft-replaced-")));
  mkdirSync(join(place, "home/project/in"), { recursive: true });
  mkdirSync(join(place, "tool/shims"), { recursive: true });
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

/** Whether a command that only reads counts as one, where a project chose this and the environment is that. */
async function asks(environment: Record<string, string>, command = "jq . data.json"): Promise<boolean> {
  const home = join(place, "home");
  const cwd = join(home, "project/in");
  const base = { PATH: "/usr/bin:/bin", HOME: home, ...environment };
  const { ports } = createHost({ cwd, processes: { environment: { base } } });
  const context = { cwd, home, ports, locate: ports.files.locate, forbids: () => false };
  const effects = await bash.effects({ command }, context);
  return effects.some((effect) => effect.do === "unknown" && effect.why.includes("names a program of the project"));
}
const chosen = (file: string, text: string): void => {
  const path = join(place, "home/project", file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const shims = () => ({ PATH: `${place}/tool/shims:/usr/bin:/bin` });

describe("a program that stands in front of others", () => {
  it("G03 has every command asked about where a project has it start a program of its own", async () => {
    expect(await asks(shims())).toBe(false);
    chosen(".tool-versions", "nodejs 20.1.0\npython 3.12.1 system\n");
    expect(await asks(shims())).toBe(false);
    chosen(".tool-versions", "nodejs path:./evil\n");
    expect(await asks(shims())).toBe(true);
    expect(await asks(shims(), "cd .. && rg x")).toBe(true);
  });

  it.each(["mise.toml", ".mise.local.toml", ".config/mise/config.toml"])("G03 so does %s", async (file) => {
    chosen(file, '[tools]\nnode = "22"\n');
    expect(await asks(shims())).toBe(false);
    chosen(file, '[tools]\njq = "path:./evil"\n');
    expect(await asks(shims())).toBe(true);
  });

  it("G01 is not there on most machines, and nothing else heeds such files", async () => {
    chosen(".tool-versions", "nodejs path:./evil\n");
    expect(await asks({})).toBe(false);
    expect(await asks({ PATH: `${place}/home/.pyenv/shims:/usr/bin` })).toBe(false);
    symlinkSync(join(place, "tool/shims"), join(place, "tool/bin"));
    expect(await asks({ PATH: `${place}/tool/bin:/usr/bin` })).toBe(true);
    expect(await asks({ ASDF_DIR: "/opt/asdf" })).toBe(true);
    mkdirSync(join(place, "home/.asdf"));
    expect(await asks({})).toBe(true);
  });

  it("G01 may be told by a person for all projects", async () => {
    chosen("../.tool-versions", "nodejs path:/opt/node\n");
    expect(await asks(shims())).toBe(false);
    expect(await asks({ ...shims(), ASDF_DEFAULT_TOOL_VERSIONS_FILENAME: "versions" })).toBe(false);
    chosen("versions", "nodejs path:./evil\n");
    expect(await asks({ ...shims(), ASDF_DEFAULT_TOOL_VERSIONS_FILENAME: "versions" })).toBe(true);
  });
});
