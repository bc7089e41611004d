import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oauthServer } from "../../../../../mcp/test/servers/oauth.ts";
import { ended, type Scratch, scratch } from "../../../../test/support/haft-process.ts";

let place: Scratch;
beforeAll(() => {
  place = scratch();
});
afterAll(() => place[Symbol.dispose]());

const mcp = (...args: string[]) => place.haft(["mcp", ...args]);

/** Waits for the page that a login prints, and goes there as a browser would. */
async function follow(child: ReturnType<Scratch["start"]>): Promise<string> {
  let said = "";
  for await (const chunk of child.stderr) {
    said += String(chunk);
    const page = /^http\S+$/m.exec(said)?.[0];
    if (page !== undefined) return (await fetch(page)).text();
  }
  throw new Error(`No page was named: ${said}`);
}

describe("haft mcp login, logout", { timeout: 60_000 }, () => {
  it("Q01 a server that wants a login says how; then its tools are there, until the logout", async () => {
    await using server = await oauthServer();
    expect((await mcp("add", "locked", server.url)).code).toBe(0);
    const before = await mcp("get", "locked");
    expect(before.code).toBe(1);
    expect(before.stdout).toContain("haft mcp login locked");
    const child = place.start(["mcp", "login", "locked", "--no-browser"]);
    const done = new Promise((resolve) => child.once("close", resolve));
    expect(await follow(child)).toContain("go back to Haft");
    expect(await done).toBe(0);
    expect(server.counts.exchanged).toBe(1);
    expect((await mcp("login", "locked", "--no-browser")).stdout).toBe("No new login is needed at locked: 1 tool\n");
    const called = await place.haft(["call", "mcp__locked__hello", "{}", "--allow", "mcp__locked"]);
    expect([called.code, called.stdout]).toEqual([0, "come in\n"]);
    expect((await mcp("logout", "locked")).stdout).toBe("Logged out of locked.\n");
    expect((await mcp("logout", "locked")).stdout).toBe("You were not logged in at locked.\n");
    expect((await mcp("get", "locked")).code).toBe(1);
  });

  it("Q01 a login that is interrupted ends at once, and a program has none", async () => {
    await using server = await oauthServer();
    await mcp("add", "other", server.url);
    const child = place.start(["mcp", "login", "other", "--no-browser"]);
    child.stderr.once("data", () => child.kill("SIGINT"));
    expect((await ended(child)).code).toBe(130);
    await mcp("add", "program", "--", "true");
    expect((await mcp("login", "program")).stderr).toContain("it has no login");
  });

  it("Q10 a login that cannot be kept is refused before anybody goes anywhere, and a logout does not say it is done", async () => {
    await using server = await oauthServer();
    await mcp("add", "unkept", server.url);
    const file = join(place.env.HAFT_STATE_DIR!, "mcp-logins.json");
    writeFileSync(file, "{ no json");
    for (const what of ["login", "logout"]) {
      const { code, stderr } = await mcp(what, "unkept");
      expect([code, stderr]).toEqual([2, expect.stringContaining(`was not changed: ${file}`)]);
      expect(stderr).toContain("move it away");
    }
    expect([server.counts.authorised, readFileSync(file, "utf8")]).toEqual([0, "{ no json"]);
    rmSync(file);
  });
});
