import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { relayArgv } from "./index.ts";

/** Ends the relay, which outlives its starter and hides its arguments: the processes with the socket that listens on a port. */
async function endRelay(port: number): Promise<void> {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = (await readFile("/proc/net/tcp", "utf8")).split("\n").map((row) => row.trim().split(/\s+/));
  const inode = rows.find(([, address, , state]) => address === local && state === "0A")?.[9];
  for (const id of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const open = await readdir(`/proc/${id}/fd`).catch(() => []);
    const sockets = await Promise.all(open.map((fd) => readlink(`/proc/${id}/fd/${fd}`).catch(() => "")));
    if (inode !== undefined && sockets.includes(`socket:[${inode}]`)) process.kill(Number(id), "SIGKILL");
  }
}

describe.skipIf(process.platform !== "linux")("the relay", () => {
  it.each([
    ["perl, where the machine has one", []],
    ["Node, where the only perl lies in a workspace", ["/"]],
  ])("G15 carries connections to the socket with %s", async (_, workspaces) => {
    const folder = await mkdtemp(`${tmpdir()}/haft-relay-`);
    const socket = `${folder}/s`;
    const outside = createServer({ allowHalfOpen: true }, (client) => client.pipe(client)).listen(socket);
    const free = createServer().listen(0, "127.0.0.1");
    await Promise.all([outside, free].map((server) => new Promise((resolve) => server.once("listening", resolve))));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const argv = await relayArgv(workspaces);
    expect(argv.slice(-2)).toEqual(["3128", "/run/haft-proxy"]);
    try {
      // It listens when its first process has ended.
      await promisify(execFile)(argv[0]!, [...argv.slice(1, -2), `${port}`, socket]);
      const said = await Promise.all(
        ["one", "two".repeat(100_000)].map(
          (text) =>
            new Promise<boolean>((resolve, reject) => {
              let heard = "";
              const client = connect({ port, host: "127.0.0.1" }, () => client.end(text));
              client.on("data", (chunk) => {
                heard += chunk;
              });
              client.once("end", () => resolve(heard === text)).once("error", reject);
            }),
        ),
      );
      expect(said).toEqual([true, true]);
    } finally {
      await endRelay(port);
      outside.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
