import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { powershell } from "./powershell.ts";

let world: World;
let programs: string;
const path = process.env.PATH;

beforeEach(async () => {
  world = await createWorld();
  programs = await mkdtemp(`${tmpdir()}/haft-pwsh-`);
  process.env.PATH = "/usr/bin:/bin";
});
afterEach(async () => {
  process.env.PATH = path;
  await world.close();
  await rm(programs, { recursive: true });
});

/** A real program called pwsh: it shows its options and decodes the script that it was given. */
async function installPwsh(end = ""): Promise<void> {
  const decode = `while [ $# -gt 1 ]; do echo "option $1"; shift; done; printf %s "$1" | base64 -d | tr -d '\\0'`;
  await writeFile(`${programs}/pwsh`, `#!/bin/sh\n${decode}\n${end}\n`);
  await chmod(`${programs}/pwsh`, 0o755);
  process.env.PATH = `${programs}:/usr/bin:/bin`;
}

const offer = (platform: string) =>
  powershell.when?.({
    cwd: world.folder,
    agent: { id: "main" },
    platform,
    ports: new Set(["processes"]),
    tools: new Set(),
    mode: "default",
  });

describe("PowerShell", () => {
  it("L05 is offered on Windows, and elsewhere only where pwsh is", async () => {
    expect(offer("linux")).toEqual({ absent: "PowerShell needs Windows, or pwsh in the PATH" });
    expect(offer("win32")).toBe(true);
    await installPwsh();
    expect(offer("linux")).toBe(true);
    await chmod(`${programs}/pwsh`, 0o644);
    expect(offer("linux")).not.toBe(true);
  });

  it("L05 a pwsh that is found by a relative path does not count", async () => {
    await installPwsh();
    process.env.PATH = `.:${programs.replace(/^\//, "")}`;
    expect(offer("linux")).not.toBe(true);
  });

  it("L05 hands the script on as it was written, without profile", async () => {
    await installPwsh();
    const script = "Get-Content 'it''s' | ForEach-Object { \"$_ ümlaut\" } # `x` $(y)";
    const { output, display } = await world.use(powershell, { command: script });
    for (const option of ["-NoProfile", "-NonInteractive", "-EncodedCommand"])
      expect(output.stdout).toContain(`option ${option}\n`);
    expect(output.stdout).toContain("Get-Content 'it''s' | ForEach-Object { \"$_ ");
    expect(output.stdout).toContain("# `x` $(y)");
    expect(display).toMatchObject({ kind: "terminal", command: script, exitCode: 0 });
  });

  it("L05 runs in the folder that was named, and a failure is an error with its output", async () => {
    await mkdir(`${world.folder}/sub`);
    await installPwsh("echo; pwd; exit 7");
    const error = await failure(world.use(powershell, { command: "Get-Date", workdir: "sub" }));
    expect(error).toMatchObject({ code: "command_failed", details: { exitCode: 7 } });
    expect(error.output).toMatchObject({ stdout: expect.stringContaining(`${world.folder}/sub`) });
    expect(await failure(world.use(powershell, { command: "x", workdir: "none" }))).toMatchObject({
      code: "file_not_found",
    });
  });

  it("L05 without a pwsh the call says what to do", async () => {
    expect(await failure(world.use(powershell, { command: "Get-Date" }))).toMatchObject({
      code: "tool_unavailable",
      hint: "Install pwsh, or use Bash.",
    });
  });

  it("L05 declares what it reads, and says unknown of what nobody can read", async () => {
    const effects = async (command: string) => powershell.effects({ command }, world.effectContext);
    expect(await effects("Get-Content a.txt")).toEqual([
      expect.objectContaining({ do: "run", argv: ["Get-Content", "a.txt"] }),
      expect.objectContaining({ do: "read", basis: "proved", path: `${world.folder}/a.txt` }),
    ]);
    expect(await effects("rm a; Invoke-Expression $x")).toContainEqual(expect.objectContaining({ opaque: true }));
    expect(await effects("$x = 1")).toContainEqual(expect.objectContaining({ do: "unknown" }));
  });
});
