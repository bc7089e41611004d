import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import "../../../../test/support/seed.ts";
import { findBwrap } from "../find-bwrap.ts";
import { inwardRelayArgv } from "./inward.ts";
import { listeningIn } from "./published.ts";
import { type Publisher, startPublisher } from "./publisher.ts";

const children: ChildProcess[] = [];
const publishers: Publisher[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const publisher of publishers.splice(0)) await publisher.close();
});

const bwrap = await findBwrap([]);
const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** Echoes what it gets, and once per connection in capitals when that is over. */
const SERVER =
  'require("net").createServer({ allowHalfOpen: true }, (c) => { let all = ""; c.on("data", (d) => { all += d; }); c.on("end", () => c.end(all.toUpperCase())); }).listen(48741, process.argv[1])';

/** Says something to an address and hears the whole answer. */
const ask = (address: string, text: string) =>
  new Promise<string>((resolve, reject) => {
    const [host, port] = address.split(":");
    let heard = "";
    const client = connect({ host: host!, port: Number(port) }, () => client.end(text));
    client.on("data", (chunk) => {
      heard += chunk;
    });
    client.once("end", () => resolve(heard)).once("error", reject);
  });

describe.skipIf(bwrap === undefined)("L03 ports of a confined program", () => {
  it.each([
    ["perl, where the machine has one", [], "127.0.0.1"],
    ["perl, on an address of the newer kind", [], "::1"],
    ["Node, where the only perl lies in a workspace", ["/"], "127.0.0.1"],
  ] as const)("L03 are reached from outside through %s", { timeout: 30_000 }, async (_, workspaces, host) => {
    const publisher = await startPublisher();
    publishers.push(publisher);
    const relay = [...(await inwardRelayArgv(workspaces)).slice(0, -1), publisher.socket];
    const server = [process.execPath, "-e", SERVER, host];
    const script = `${relay.map(quote).join(" ")} && exec ${server.map(quote).join(" ")}`;
    const inside = ["--unshare-net", "--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--proc", "/proc"];
    const child = spawn(bwrap!, [...inside, "--", "/bin/sh", "-c", script], { stdio: "ignore" });
    children.push(child);
    publisher.follow(child.pid!);
    await expect.poll(() => publisher.addresses(), { timeout: 15_000 }).toEqual(["127.0.0.1:48741"]);
    const texts = ["one", "two ".repeat(50_000), "three", "four", "five", "six"];
    const heard = await Promise.all(texts.map((text) => ask("127.0.0.1:48741", text)));
    expect(heard.map((text) => text.length)).toEqual(texts.map((text) => text.length));
    expect(heard[0]).toBe("ONE");
    await publisher.close();
    await expect(ask("127.0.0.1:48741", "late")).rejects.toThrow("ECONNREFUSED");
  });
});

it("L03 a table of the kernel is read for any content", () => {
  const table = [
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid",
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000",
    "   1: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000",
    "   2: 00000000000000000000000000000000:1435 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0",
    "",
  ].join("\n");
  expect(listeningIn(table)).toEqual([8080, 5173]);
  fc.assert(
    fc.property(fc.string({ maxLength: 400 }), (text) => {
      for (const port of listeningIn(text)) expect(Number.isInteger(port) && port > 0).toBe(true);
    }),
  );
});
