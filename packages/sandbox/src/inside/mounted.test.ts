import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MOVED, mountCheck } from "./mounted.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-mounted-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Whether the check lets a command start if the sandbox has these mounts. */
function passes(own: readonly string[], table: readonly string[]): boolean {
  const mounts = ["/", ...own].map((path) => ({ path, isItself: true }));
  const ofMachine = [{ device: "8:2", from: "/volume", path: "/work/d/mnt" }];
  const lines = table.map((one, index) => {
    const [source = "", at = ""] = one.split(" ");
    return `${index} 1 ${source.replace(":/", " /").replace("-", ":")} ${at} rw - ext4 /dev/sda rw`;
  });
  writeFileSync(join(folder, "table"), `${lines.join("\n")}\n`);
  const script = mountCheck(mounts, ["/work"], () => ofMachine)
    .join("\n")
    .replace("/proc/self/mountinfo", join(folder, "table"));
  const { status, stderr } = spawnSync("sh", ["-c", `exec 3>/dev/null\n${script}`], { encoding: "utf8" });
  expect([stderr, [0, MOVED]]).toEqual(["", expect.arrayContaining([status])]);
  return status === 0;
}

// The machine has its workspace at /srv/work of device 8:1, and a volume of 8:2 in it.
const ROOT = "8-1:/srv/work /work";
const VOLUME = "8-2:/volume /work/d/mnt";

describe.skipIf(process.platform !== "linux")("mounts of a sandbox", () => {
  it("G11 are let through at their places, also on and below a mount of the machine", () => {
    expect(passes(["/work", "/work/src"], [ROOT, "8-1:/srv/work/src /work/src"])).toBe(true);
    expect(passes(["/work", "/work/d/mnt/a"], [VOLUME, ROOT, VOLUME, "8-2:/volume/a /work/d/mnt/a"])).toBe(true);
    expect(passes(["/work", "/work/d/mnt"], [VOLUME, ROOT, VOLUME, VOLUME])).toBe(true);
  });

  it.each([
    ["its source is elsewhere", ["/work/src"], [ROOT, "8-1:/srv/other /work/src"]],
    ["its source is the same path of another disk", ["/work/src"], [ROOT, "8-3:/srv/work/src /work/src"]],
    ["it covers another place", ["/work/src"], [ROOT, "8-1:/srv/work/src /other"]],
    ["only the mount of the machine is there", ["/work/d/mnt"], [VOLUME, ROOT, VOLUME, "8-2:/volume /other/mnt"]],
    ["another source covers it", ["/work/d/mnt"], [VOLUME, ROOT, VOLUME, "8-3:/secret /work/d/mnt"]],
    ["below, its source is elsewhere", ["/work/d/mnt/a"], [VOLUME, ROOT, VOLUME, "8-3:/secret/a /work/d/mnt/a"]],
    ["the table cannot be read", ["/work/src"], []],
  ])("G11 keep a command from starting if %s", (_, own, table) => {
    expect(passes(["/work", ...own], table)).toBe(false);
  });
});
