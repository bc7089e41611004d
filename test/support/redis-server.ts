import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROGRAM = ["/usr/bin/redis-server", "/usr/local/bin/redis-server", "/opt/homebrew/bin/redis-server"].find(
  (path) => existsSync(path),
);

/** Whether this machine has a Redis server. */
export const hasRedis = PROGRAM !== undefined;

/** A Redis of a test, with its data in a folder of its own. */
export interface TestRedis extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Kills it at once, as a power failure would. */
  kill(): Promise<void>;
  /** Changes a setting while it runs. */
  configure(name: string, value: string): Promise<void>;
  /** Starts it again on the same port with the same data. */
  restart(): Promise<void>;
}

/** Starts a Redis on a free port of this machine. */
export async function startRedis(...options: readonly string[]): Promise<TestRedis> {
  const dir = mkdtempSync(join(tmpdir(), "haft-redis-"));
  const port = await freePort();
  let child = await launch();

  async function launch(): Promise<ChildProcess> {
    const common = ["--port", String(port), "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "yes"];
    const started = spawn(PROGRAM!, [...common, ...options], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise<void>((resolve, reject) => {
      started.once("exit", (code) => reject(new Error(`redis-server ended with ${code}`)));
      started.stdout!.on("data", (text: Buffer) => {
        if (text.includes("Ready to accept connections")) resolve();
      });
    });
    return started;
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill,
    async configure(name, value) {
      const socket = connect(port, "127.0.0.1");
      const answer = once(socket, "data");
      socket.write(`CONFIG SET ${name} ${value}\r\n`);
      const [text] = await answer;
      socket.destroy();
      if (!String(text).startsWith("+OK")) throw new Error(String(text));
    },
    async restart() {
      child = await launch();
    },
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
