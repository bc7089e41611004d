import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { type AuthQuirks, oauthServer } from "../../test/servers/oauth.ts";
import { type McpBench, mcpBench } from "../../test/support/mcp.ts";
import { logOut } from "./log-out.ts";
import { loopbackBrowser } from "./loopback.ts";

/** A person who logs in at once: a web browser that follows redirects, the way back to our port included. */
const person = loopbackBrowser(async (address) => void (await (await fetch(address)).text()));

async function opened(quirks: AuthQuirks = {}, more: { readonly alone?: true } = {}) {
  const server = await oauthServer(quirks);
  const start = (options: Parameters<typeof mcpBench>[0] = {}) => {
    const bench = mcpBench(options);
    bench.manager.add({ name: "locked", url: server.url });
    return bench.manager.settled().then(() => bench);
  };
  const folder = mcpBench();
  const tokenFile = join(folder.folder, "state", "logins.json");
  const bench = await start({
    tokenFile,
    logFolder: join(folder.folder, "logs"),
    ...(more.alone ? {} : { browser: person }),
  });
  return {
    server,
    bench,
    tokenFile,
    folder: folder.folder,
    start,
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const status = (bench: McpBench) => bench.manager.list()[0]!;
const hello = async (bench: McpBench) => contentsText((await bench.call("mcp__locked__hello")).result.content);

describe("logins at MCP servers", () => {
  it("Q01 a person logs in once; the login is kept for the user alone, and is good for the next session", async () => {
    await using place = await opened();
    const { bench, server, tokenFile } = place;
    expect(status(bench).state).toBe("ready");
    expect(await hello(bench)).toBe("come in");
    expect(server.counts).toMatchObject({ registered: 1, authorised: 1, exchanged: 1 });
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    expect(statSync(join(tokenFile, "..")).mode & 0o777).toBe(0o700);
    await using next = await place.start({ tokenFile });
    expect(await hello(next)).toBe("come in");
    expect(server.counts.authorised).toBe(1);
  });

  it("Q01 without anybody to ask the server fails with auth_required and its cure", async () => {
    await using place = await opened({}, { alone: true });
    const { state, error } = status(place.bench);
    expect(state).toBe("failed");
    expect(error).toMatchObject({ code: "mcp_error", details: { reason: "auth_required" } });
    expect(error?.hint).toContain("haft mcp login locked");
    expect(place.server.counts.registered).toBe(0);
  });

  it("Q10 many calls and many processes refresh a token once: a second use would end the login", async () => {
    await using place = await opened();
    const { bench, server, tokenFile } = place;
    server.expire();
    expect(await Promise.all(Array.from({ length: 8 }, () => hello(bench)))).toEqual(Array(8).fill("come in"));
    expect(server.counts.refreshed).toBe(1);
    server.expire();
    const script = fileURLToPath(new URL("../../test/servers/log-in-host.ts", import.meta.url));
    const run = () =>
      new Promise<string>((resolve) => {
        const args = ["--conditions=haft-source", script, tokenFile, server.url];
        execFile(process.execPath, args, (_, stdout, stderr) => resolve(`${stdout}${stderr}`.trim()));
      });
    expect(await Promise.all([run(), run(), run(), hello(bench)])).toEqual(["ok", "ok", "ok", "come in"]);
    expect(server.counts).toMatchObject({ refreshed: 2, reused: 0, authorised: 1 });
  });

  it("Q10 a token that is about to end is refreshed before it is used", async () => {
    await using place = await opened({ expiresIn: 1 });
    const before = place.server.counts.refreshed;
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await hello(place.bench)).toBe("come in");
    expect(place.server.counts.refreshed).toBeGreaterThan(before);
  });

  it.each([20, 0, -5])(
    "Q10 a token that is said to live %d seconds is not refreshed for each request",
    async (life) => {
      await using place = await opened({ expiresIn: life });
      for (let at = 0; at < 3; at += 1) expect(await hello(place.bench)).toBe("come in");
      expect(place.server.counts.refreshed).toBe(0);
    },
  );

  it("Q10 an authorization server that is out of reach costs no login; one that says it is over does", async () => {
    await using place = await opened();
    const { bench, server, tokenFile } = place;
    const kept = readFileSync(tokenFile, "utf8");
    server.expire();
    server.quirks.refresh = "unavailable";
    const { result } = await bench.call("mcp__locked__hello");
    expect(result.error).toMatchObject({
      code: "mcp_error",
      hint: expect.stringContaining("Try again, or log in again"),
    });
    expect(readFileSync(tokenFile, "utf8")).toBe(kept);
    delete server.quirks.refresh;
    expect(await hello(bench)).toBe("come in");
    server.expire();
    server.quirks.refresh = "over";
    await using alone = await place.start({ tokenFile });
    expect(status(alone).error?.details).toMatchObject({ reason: "auth_required" });
    expect(JSON.parse(readFileSync(tokenFile, "utf8"))).toEqual({});
  });

  it("Q10 a login file that cannot be read is left as it is", async () => {
    await using place = await opened({}, { alone: true });
    const broken = join(place.folder, "broken.json");
    writeFileSync(broken, "{ not json");
    await using bench = await place.start({ tokenFile: broken, browser: person });
    expect(readFileSync(broken, "utf8")).toBe("{ not json");
    expect(status(bench).state).toBe("ready");
  });

  it.each(["pipe", "device", "folder"])("Q10 a %s in the place of the logins holds nobody up", async (kind) => {
    await using place = await opened({}, { alone: true });
    const tokenFile = join(place.folder, "odd");
    if (kind === "pipe") execFileSync("mkfifo", [tokenFile]);
    else if (kind === "device") symlinkSync("/dev/zero", tokenFile);
    else mkdirSync(tokenFile);
    await using bench = await place.start({ tokenFile, browser: person });
    expect(status(bench).state).toBe("ready");
    await expect(logOut(tokenFile, { name: "locked", url: place.server.url }, { cwd: "/", env: {} })).rejects.toThrow(
      "cannot be read",
    );
  });

  it("Q10 logins that are kept elsewhere stay there, and become the user's alone", async () => {
    await using place = await opened({}, { alone: true });
    const [real, tokenFile] = [join(place.folder, "real.json"), join(place.folder, "link.json")];
    writeFileSync(real, "{}", { mode: 0o644 });
    symlinkSync(real, tokenFile);
    await using bench = await place.start({ tokenFile, browser: person });
    expect(status(bench).state).toBe("ready");
    expect(lstatSync(tokenFile).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain("access_token");
    chmodSync(real, 0o644);
    expect(await hello(bench)).toBe("come in");
    expect(statSync(real).mode & 0o777).toBe(0o600);
  });

  it("Q12 a token that no header can carry is refused, and not said", async () => {
    await using place = await opened({ accessToken: "s3cret\r\nX-Evil: 1" });
    const { state, error } = status(place.bench);
    expect([state, error?.message]).toEqual(["failed", expect.stringContaining("not valid in a request header")]);
    expect(JSON.stringify([place.bench.manager.list(), place.bench.manager.logs("locked")])).not.toContain("s3cret");
  });

  it("Q12 a server that does not take the login it wanted asks nobody a second time", async () => {
    await using place = await opened({ takesNone: true });
    expect(status(place.bench).error).toMatchObject({
      message: expect.stringContaining("does not accept it"),
      hint: expect.stringContaining("oauth.scope"),
    });
    expect(place.server.counts.authorised).toBe(1);
  });

  it.each<[string, AuthQuirks, string]>([
    ["a foreign state", { state: "somebody else's" }, "does not belong to this login"],
    ["another issuer", { iss: "https://evil.example" }, "Issuer mismatch"],
  ])("Q12 a login that comes back with %s gets no token", async (_, quirks, words) => {
    await using place = await opened(quirks);
    expect(status(place.bench).error?.message).toContain(words);
    expect(place.server.counts.exchanged).toBe(0);
  });

  it("Q12 a server that is described elsewhere by a redirect is not believed, and nobody is asked there", async () => {
    let asked = 0;
    const elsewhere = createServer((_, response) => {
      asked += 1;
      response.end("{}");
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const at = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    await using place = await opened({ metadataAt: at });
    expect(status(place.bench).error).toMatchObject({ code: "address_blocked" });
    expect([asked, place.server.counts.authorised]).toEqual([0, 0]);
    await new Promise((resolve) => elsewhere.close(resolve));
  });

  it("Q10 no credential is found in a log, an error or a status", async () => {
    await using place = await opened();
    const { bench, server, folder } = place;
    await hello(bench);
    server.expire();
    server.quirks.refresh = "unavailable";
    const { result } = await bench.call("mcp__locked__hello");
    const logs = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".log"))
      .map((path) => readFileSync(join(folder, path), "utf8"));
    const said = JSON.stringify([bench.manager.list(), bench.manager.logs("locked"), result, logs]);
    expect(server.secrets.length).toBeGreaterThanOrEqual(3);
    for (const secret of server.secrets) expect(said).not.toContain(secret);
  });

  it("Q01 a logout forgets the login and has it taken back", async () => {
    await using place = await opened();
    const at = { cwd: "/", env: {} };
    expect(await logOut(place.tokenFile, { name: "locked", url: place.server.url }, at)).toEqual({
      forgotten: 1,
      revoked: 1,
    });
    expect(place.server.counts.revoked).toBe(1);
    expect(await logOut(place.tokenFile, { name: "locked", url: place.server.url }, at)).toEqual({
      forgotten: 0,
      revoked: 0,
    });
    await using alone = await place.start({ tokenFile: place.tokenFile });
    expect(status(alone).state).toBe("failed");
  });
});
