import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { patience } from "../../../../../../test/support/patience.ts";
import { type ServedHaft, servedHaft } from "../../../../../../test/support/served-haft.ts";
import { type Scratch, scratch } from "../../../../test/support/haft-process.ts";
import { httpClient } from "../../../../test/support/http-client.ts";

const program = fileURLToPath(new URL("../../../../test/support/resource-server.mjs", import.meta.url));

/** Begins late, as a program that is fetched and compiled first. */
const late = `setTimeout(() => { process.argv[2] = "late"; import(${JSON.stringify(program)}); }, 1_500)`;

async function gateway(place: Scratch, more: Readonly<Record<string, object>> = {}): Promise<ServedHaft> {
  const mcpServers = { late: { command: process.execPath, args: ["-e", late, "-", "late"] }, ...more };
  place.write(
    "settings.json",
    JSON.stringify({ mcpServers, permissions: { allow: ["mcp__late", "ReadMcpResource"] } }),
  );
  return servedHaft(["--gateway", "--settings", join(place.cwd, "settings.json")], { place });
}

it.each(["legacy", "modern"] as const)(
  "Q13 a client that lists tools once, at the start, sees the tools of servers that are still starting (%s)",
  { timeout: 60_000 },
  async (era) => {
    using place = scratch();
    await using served = await gateway(place);
    const [lister, reader] = [await httpClient(served, { era }), await httpClient(served, { era })];
    const [list, read] = await Promise.all([lister.listTools(), reader.readResource({ uri: "note://of-late" })]);
    expect(list.tools.map(({ name }) => name)).toContain("mcp__late__point");
    expect(JSON.stringify(read.contents)).toContain("late has note://of-late");
    await Promise.all([lister.close(), reader.close()]);
  },
);

it("Q13 a gateway's log says which server is missing, and why", {
  tags: ["smoke"],
  timeout: 60_000,
}, async () => {
  using place = scratch();
  const broken = { command: process.execPath, args: ["-e", "throw new Error('no \\u001b[31mTOKEN')"] };
  await using served = await gateway(place, { broken });
  await expect
    .poll(served.said, { timeout: 20_000 })
    .toMatch(/haft mcp: The MCP server "broken" .*\n.*\nError: no .*TOKEN/);
  for (const unsaid of ["\u001b", "late"]) expect(served.said()).not.toContain(unsaid);
});

it("Q13 a server that hangs at its start keeps the others from a client for seconds, not for good", {
  timeout: 60_000,
}, async () => {
  using place = scratch();
  const hangs = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
  await using served = await gateway(place, { hangs });
  const client = await httpClient(served);
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  const since = performance.now();
  expect(await names()).toContain("mcp__late__point");
  expect(performance.now() - since).toBeLessThan(patience(4_800));
  const again = performance.now();
  await names();
  expect(performance.now() - again).toBeLessThan(patience(1_000));
  await client.close();
});
