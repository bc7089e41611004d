// The way out of a sandbox: from a program inside, over the relay and the proxy, to servers of this test.
import { copyFile } from "node:fs/promises";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { effects } from "@haft/core/tool";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createScratch, known, type Scratch, UNREAD, WITHOUT_SANDBOX } from "../../test/support/confined.ts";

const portOf = (server: Server | HttpServer): number => (server.address() as AddressInfo).port;

describe.skipIf(WITHOUT_SANDBOX)(`the network of a confined program (${WITHOUT_SANDBOX ?? "bwrap"})`, () => {
  let scratch: Scratch;
  let http: HttpServer;
  let echo: Server;
  let other: Server;
  let heard = 0;
  beforeAll(async () => {
    scratch = await createScratch();
    http = createHttpServer((asked, answer) => {
      let body = "";
      asked.on("data", (chunk) => {
        body += chunk;
      });
      const { "proxy-authorization": secret = "none", host } = asked.headers;
      asked.on("end", () => answer.end(`${asked.method} ${asked.url} ${host} ${secret} ${body}`));
    });
    echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    other = createServer((socket) => {
      heard += 1;
      socket.end();
    });
    for (const server of [http, echo, other])
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    await copyFile(process.execPath, `${scratch.root}/node`);
  });
  afterAll(async () => {
    for (const server of [http, echo, other]) server.close();
    await scratch.close();
  });
  const to = (...servers: readonly (Server | HttpServer)[]) =>
    known(...servers.map((server) => effects.connect(`127.0.0.1:${portOf(server)}`)), effects.unknown("a test"));
  const talk = (lines: string) => `exec 5<>/dev/tcp/127.0.0.1/3128; printf '${lines}' >&5; cat <&5`;
  const tunnel = (port: number, text: string) =>
    talk(`CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n${text}`);

  it("G15 programs find the proxy by themselves, and reach what was granted", async () => {
    const script = `fetch("http://127.0.0.1:${portOf(http)}/a?b", { method: "POST", body: "hi" }).then((r) => r.text()).then(console.log)`;
    const { output } = await scratch.run(`./node -e '${script}'`, { bound: to(http) });
    expect(output).toBe(`POST /a?b 127.0.0.1:${portOf(http)} none hi\n`);
  });

  it("G15 a tunnel carries everything both ways, and several stand beside each other", async () => {
    const port = portOf(echo);
    const head = `exec 5<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\n\\r\\n' >&5; read -r line <&5; read -r line <&5`;
    const one = `(${head}; (seq 1 50000 >&5; exec 5>&-) & head -c 288894 <&5 | cksum)`;
    const { output } = await scratch.run(`${one} & ${one} & wait; seq 1 50000 | cksum`, { bound: to(echo) });
    expect(new Set(output.trim().split("\n")).size).toBe(1);
    expect(output.trim().split("\n").length).toBe(3);
  });

  it("G15 other hosts and ports stay closed, and the wanted one is told exactly", async () => {
    const port = portOf(other);
    const { output, denied, missing } = await scratch.run(`${tunnel(port, "")}; exit 1`, { bound: to(http) });
    expect(output).toMatch(/^HTTP\/1.1 403/);
    expect(denied).toContain(`127.0.0.1:${port} was not granted`);
    expect(missing).toEqual([effects.connect(`127.0.0.1:${port}`)]);
    for (const target of [`localhost:${port}`, `[::ffff:127.0.0.1]:${port}`, `2130706433:${port}`, `0x7f.1:${port}`]) {
      const run = await scratch.run(talk(`CONNECT ${target} HTTP/1.1\\r\\n\\r\\n`), { bound: to(http) });
      expect(run.output, target).toMatch(/^HTTP\/1.1 403/);
    }
    expect(heard).toBe(0);
  });

  it.each([
    "GET / HTTP/1.1",
    "GET file:///etc/passwd HTTP/1.1",
    "CONNECT nonsense HTTP/1.1",
    "CONNECT a:99999 HTTP/1.1",
    "\\x16\\x03\\x01",
  ])("G15 %j is refused and does no harm", async (line) => {
    const { output } = await scratch.run(
      `timeout 3 bash -c "${talk(`${line}\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n`)}"`,
      {
        bound: to(http),
      },
    );
    expect(output).not.toMatch(/^HTTP\/1.1 200|root:/);
    expect((await scratch.run(tunnel(portOf(other), ""), { bound: to(http) })).output).toMatch(/403/);
  });

  it("G15 nothing but the proxy is there, and without a grant not even that", async () => {
    const direct = `exec 5<>/dev/tcp/127.0.0.1/${portOf(http)}`;
    expect((await scratch.run(direct, { bound: to(http) })).output).toContain("refused");
    expect((await scratch.run("ls /run; env", { bound: UNREAD })).output).not.toMatch(/haft-proxy|_PROXY/i);
    const { output } = await scratch.run("ls -l /proc/self/fd | wc -l; ulimit -c; jobs", { bound: to(http) });
    expect(output).toBe("5\n0\n");
  });

  it("G15 exit codes and signals are those of the program, with the relay too", async () => {
    const of = async (command: string) => {
      const { exitCode, signal, left } = await scratch.run(command, { bound: to(http) });
      return [exitCode, signal, left];
    };
    expect(await of("exit 125")).toEqual([125, undefined, false]);
    expect(await of("exit 137")).toEqual([137, undefined, false]);
    expect(await of("kill -SEGV $$")).toEqual([null, "SIGSEGV", false]);
  });
});
