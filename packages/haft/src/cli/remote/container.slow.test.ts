// The command line in a container: the program `docker` is a script, its containers are namespaces of bubblewrap.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Scratch, scratch } from "../../../test/support/haft-process.ts";

const bwrap = await findBwrap([]);
let place: Scratch;
/** The folder that is /app in the container. */
let app: string;

beforeEach(() => {
  place = scratch();
  const root = dirname(place.cwd);
  for (const name of ["app", "bin", "user"]) mkdirSync(join(root, name));
  app = join(root, "app");
  writeFileSync(join(app, "a.txt"), "one\n");
  const node = dirname(process.execPath);
  const links = ["bin", "lib", "lib64"].map((name) => `--symlink usr/${name} /${name}`).join(" ");
  const docker = `#!/bin/sh
[ "$1 $2" = "exec --interactive" ] || { echo "unknown command: $1" >&2; exit 125; }
shift 2
[ "$1" = box ] || { echo "Error response from daemon: No such container: $1" >&2; exit 1; }
shift
exec ${bwrap} --ro-bind /usr /usr ${links} --proc /proc --dev /dev --tmpfs /tmp --ro-bind '${node}' '${node}' \\
  --unshare-all --die-with-parent --clearenv --setenv PATH /usr/bin --setenv HOME /root --bind '${root}/user' /root --bind '${app}' /app "$@"
`;
  writeFileSync(join(root, "bin/docker"), docker);
  chmodSync(join(root, "bin/docker"), 0o755);
});
afterEach(() => place[Symbol.dispose]());

const inside = (container: string, args: readonly string[]) =>
  place.haft([...args, "--remote", `docker://${container}/app`, "--remote-node", process.execPath], {
    env: { PATH: `${join(dirname(place.cwd), "bin")}:${place.env.PATH}` },
  });

describe.skipIf(bwrap === undefined)("haft with --remote docker://", { timeout: 120_000 }, () => {
  it("L01 works in the container's folder, sees none of this machine's files, and undo takes it back", {
    tags: ["smoke"],
  }, async () => {
    const command = `echo two >> a.txt; pwd; ls ${place.cwd}`;
    const said = await inside("box", ["call", "Bash", JSON.stringify({ command }), "--allow", "Bash"]);
    expect(said.stdout).toMatch(/\/app\b[\s\S]*No such file or directory/);
    expect(readFileSync(join(app, "a.txt"), "utf8")).toBe("one\ntwo\n");
    expect((await inside("box", ["undo", "--preview"])).stdout).toMatch(/a\.txt[\s\S]*-two/);
    expect((await inside("box", ["undo"])).stdout).toContain("a.txt");
    expect(readFileSync(join(app, "a.txt"), "utf8")).toBe("one\n");
  });

  it("L01 names the cure for a container that is not there", async () => {
    const { code, stderr } = await inside("gone", ["call", "Read", '{"file_path": "a.txt"}']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/There is no container "gone"\.[\s\S]*docker ps/);
  });
});
