import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { McpOAuthSettings } from "@haft/core/policy";
import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { type AuthQuirks, oauthServer } from "../../test/servers/oauth.ts";
import { mcpBench } from "../../test/support/mcp.ts";
import type { McpServer } from "../server.ts";

const SECRET = "s3cret-of-the-machine";

async function opened(
  client: NonNullable<AuthQuirks["client"]>,
  oauth: McpOAuthSettings,
  more: Partial<McpServer> & { readonly elsewhere?: true } = {},
) {
  const server = await oauthServer({ client });
  const { elsewhere, ...rest } = more;
  const issuer = elsewhere ? "https://login.example.com" : new URL(server.url).origin;
  const folder = mcpBench();
  const tokenFile = join(folder.folder, "logins.json");
  const used = mcpBench({ tokenFile });
  used.manager.add({
    name: "locked",
    url: server.url,
    oauth: { grant: "client_credentials", clientId: "machine", issuer, ...oauth },
    ...rest,
  });
  await used.manager.settled();
  return {
    server,
    tokenFile,
    status: () => used.manager.list()[0]!,
    hello: async () => contentsText((await used.call("mcp__locked__hello")).result.content),
    async [Symbol.asyncDispose]() {
      await used[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("a client that logs in by itself", () => {
  it("Q01 shows its secret to the issuer of its settings, and gets a new token when one is over", async () => {
    await using place = await opened({ secret: SECRET }, { clientSecret: SECRET });
    expect([place.status().error, await place.hello()]).toEqual([undefined, "come in"]);
    expect(place.server.counts).toMatchObject({ byClient: 1, authorised: 0, registered: 0 });
    expect(readFileSync(place.tokenFile, "utf8")).not.toContain(SECRET);
    place.server.expire();
    expect(await place.hello()).toBe("come in");
    expect(place.server.counts).toMatchObject({ byClient: 2, refreshed: 0 });
  });

  it("Q01 signs with a key instead, in any form", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const folder = mcpBench();
    await using _ = folder;
    for (const type of ["pkcs8", "sec1"] as const) {
      const privateKeyFile = join(folder.folder, `${type}.pem`);
      writeFileSync(privateKeyFile, privateKey.export({ type, format: "pem" }));
      await using place = await opened({ publicKey }, { privateKeyFile });
      expect([place.status().error, await place.hello()]).toEqual([undefined, "come in"]);
    }
  });

  it.each([
    ["RSA", () => generateKeyPairSync("rsa", { modulusLength: 2048 })],
    ["P-384", () => generateKeyPairSync("ec", { namedCurve: "P-384" })],
    ["P-521", () => generateKeyPairSync("ec", { namedCurve: "P-521" })],
    ["Ed25519", () => generateKeyPairSync("ed25519")],
  ])("Q01 signs with a key of every kind that is promised: %s", async (_, make) => {
    const { publicKey, privateKey } = make();
    await using folder = mcpBench();
    const privateKeyFile = join(folder.folder, "key.pem");
    writeFileSync(privateKeyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
    await using place = await opened({ publicKey }, { privateKeyFile });
    expect([place.status().error, await place.hello()]).toEqual([undefined, "come in"]);
  });

  it("Q12 nobody but the issuer of the settings ever sees the credentials", async () => {
    await using place = await opened({ secret: SECRET }, { clientSecret: SECRET }, { elsewhere: true });
    expect(place.status()).toMatchObject({ state: "failed" });
    expect(place.server.counts.byClient).toBe(0);
    expect(JSON.stringify(place.status().error)).not.toContain(SECRET);
  });

  it.each<[string, McpOAuthSettings, Partial<McpServer>, RegExp]>([
    ["wrong credentials", { clientSecret: "another" }, {}, /could not log in/],
    ["no credentials", {}, {}, /not clientSecret or privateKeyFile/],
    ["a key that is not there", { privateKeyFile: "/nowhere/key.pem" }, {}, /key\.pem, does not exist/],
    ["a project's server", { clientSecret: SECRET }, { origin: "project" }, /your credentials/],
  ])("Q12 %s: the server fails and says so, and nobody is asked", async (_, oauth, more, message) => {
    await using place = await opened({ secret: SECRET }, oauth, more);
    expect(place.status().state).toBe("failed");
    expect(place.status().error?.message).toMatch(message);
    expect(place.server.counts).toMatchObject({ byClient: 0, authorised: 0 });
  });
});
