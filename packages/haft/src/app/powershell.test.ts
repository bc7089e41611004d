import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { afterEach, expect, it } from "vitest";
import { sessionPlaces } from "../../test/support/session-places.ts";

const places = sessionPlaces("powershell");
const path = process.env.PATH;
afterEach(() => {
  process.env.PATH = path;
});

/** A program called pwsh that prints its script: the machine has no PowerShell. */
function withPwsh(base: string): void {
  const decode = `while [ $# -gt 1 ]; do shift; done; printf %s "$1" | base64 -d | tr -d '\\0'`;
  mkdirSync(join(base, "bin"));
  writeFileSync(join(base, "bin/pwsh"), `#!/bin/sh\n${decode}\n`);
  chmodSync(join(base, "bin/pwsh"), 0o755);
  process.env.PATH = `${join(base, "bin")}:${path}`;
}

it("L05 a session with a pwsh offers PowerShell; a reading command runs, all else asks, and rules know cmdlets", async () => {
  const place = places.make();
  withPwsh(place.base);
  writeFileSync(join(place.cwd, "a.txt"), "alpha");
  const asked: string[] = [];
  const haft = await places.open({
    ...place.options,
    env: { PATH: process.env.PATH },
    // A sandbox for readers would hide a pwsh below /tmp.
    settings: { sandbox: "none" },
    settingsFiles: false,
    rules: { deny: ["PowerShell(Remove-Item *)"] },
    ask: async ({ input }) => {
      asked.push((input as { command: string }).command);
      return { behavior: "allow" };
    },
  });
  expect((await haft.offer()).tools.map(({ name }) => name)).toContain("PowerShell");
  const run = (command: string) => haft.call("PowerShell", { command });
  expect(contentsText((await run("Get-Content a.txt")).content)).toContain("Get-Content a.txt");
  expect(asked).toEqual([]);
  expect(contentsText((await run("Set-Content a.txt x")).content)).toContain("Set-Content");
  expect((await run("ri a.txt")).error?.code).toBe("denied_by_rule");
  expect((await run("Stop-Computer -Force")).error?.code).toBe("forbidden_command");
  expect(asked).toEqual(["Set-Content a.txt x"]);
});

it("L05 without a pwsh there is no such tool", async () => {
  const place = places.make();
  process.env.PATH = join(place.base, "none");
  const haft = await places.open(place.options);
  expect((await haft.offer()).tools.map(({ name }) => name)).not.toContain("PowerShell");
});
