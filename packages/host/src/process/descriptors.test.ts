import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "haft-descriptors-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const moduleAt = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

/** Runs a script in the foreground and as a job, in a host that was given two descriptors as `exec 200>>lock` gives them. */
function inGivenHost(script: string): string {
  const host = `
    import { createProcesses } from ${moduleAt("./index.ts")};
    import { createJobs } from ${moduleAt("../../../service/src/jobs/index.ts")};
    const [command, cwd] = process.argv.slice(1);
    const processes = createProcesses();
    const front = await processes.run({ command, cwd });
    const jobs = createJobs({ folder: cwd });
    const { id } = await jobs.start({ command, cwd });
    await jobs.wait(id, { timeoutMs: 5000 });
    const back = await jobs.output(id, { part: "new", maxBytes: 4096 });
    console.log(front.output + back.text);
    await Promise.all([processes.close(), jobs.close()]);`;
  const argv = ["--conditions=haft-source", "--no-warnings", "--input-type=module", "-e", host, script, folder];
  const given = 'exec 199<"$1" 200>>"$1"; shift; exec "$@"';
  return execFileSync("bash", ["-c", given, "bash", join(folder, "given"), process.execPath, ...argv], {
    encoding: "utf8",
  });
}

describe("descriptors that the host was given", () => {
  it("L01 G15 are no command's, in the foreground or as a job: it neither reads nor writes by them", {
    timeout: 30_000,
  }, () => {
    writeFileSync(join(folder, "given"), "of the host\n");
    const said = inGivenHost("echo mine >&200; cat <&199; cat <&3; ls /proc/self/fd | wc -l");
    expect(said.match(/Bad file descriptor/g)).toHaveLength(6);
    expect(said.match(/^4$/gm)).toHaveLength(2);
    expect(said).not.toContain("of the host");
    expect(readFileSync(join(folder, "given"), "utf8")).toBe("of the host\n");
  });
});
