import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { zipOfFiles } from "../../../../../../../test/support/zip.ts";
import { mcpServersCommand } from "../dispatch.ts";

let base: string;
let cwd: string;
let printed: string;
let server: Server;
let asked: string[];
let origin: string;
/** The servers of the registry; a status stands beside the server.json. */
let listed: { readonly server: Record<string, unknown>; readonly status?: string }[];
let bundle: Buffer;

const words = (text: unknown, ...more: unknown[]) => {
  printed += String(text);
  for (const done of more) if (typeof done === "function") done();
  return true;
};
beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-registry-")));
  cwd = join(base, "work");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  asked = [];
  printed = "";
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const url = new URL(request.url ?? "", "http://registry");
    const answer = url.pathname.endsWith(".mcpb")
      ? bundle
      : JSON.stringify(answerTo(url) ?? { error: "Server not found" });
    response.writeHead(answer.includes("not found") ? 404 : 200);
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  put("home/.config/haft/settings.json", JSON.stringify({ mcpRegistry: `${origin}/` }));
  vi.stubEnv("HOME", join(base, "home"));
  vi.stubEnv("XDG_CONFIG_HOME", "");
  vi.stubEnv("HAFT_STATE_DIR", join(base, "state"));
  vi.spyOn(process.stdout, "write").mockImplementation(words);
  vi.spyOn(process.stderr, "write").mockImplementation(words);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await new Promise((resolve) => server.close(resolve));
  rmSync(base, { recursive: true, force: true });
});

/** The answers of the published API, two servers a page. */
function answerTo({ pathname, searchParams }: URL): unknown {
  const entries = listed.map(({ server, status = "active" }) => ({
    server,
    _meta: { "io.modelcontextprotocol.registry/official": { status, isLatest: true } },
  }));
  if (pathname === "/v0.1/servers") {
    const found = entries.filter((entry) => String(entry.server.name).includes(searchParams.get("search") ?? ""));
    const from = Number(searchParams.get("cursor") ?? 0);
    const next = from + 2 < found.length ? { nextCursor: String(from + 2) } : {};
    return { servers: found.slice(from, from + 2), metadata: { count: 2, ...next } };
  }
  const [, name = "", version] = /^\/v0\.1\/servers\/([^/]+)\/versions\/([^/]+)$/.exec(pathname) ?? [];
  return entries.find(
    (entry) =>
      entry.server.name === decodeURIComponent(name) && (version === "latest" || entry.server.version === version),
  );
}

const put = (file: string, text: string) => {
  mkdirSync(dirname(join(base, file)), { recursive: true });
  writeFileSync(join(base, file), text);
};
const mcp = (...args: string[]) => mcpServersCommand([...args, "--cwd", cwd])!;
const saved = (file = "home/.config/haft/settings.json") =>
  JSON.parse(readFileSync(join(base, file), "utf8")).mcpServers;
const entry = (name: string, more: object = {}) => ({
  server: { name: `io.github.a/${name}`, description: `Tells the ${name}.`, version: "1.2.0", ...more },
});

const WEATHER = entry("weather", {
  packages: [
    {
      registryType: "npm",
      identifier: "@a/weather",
      version: "1.2.0",
      transport: { type: "stdio" },
      environmentVariables: [
        { name: "API_KEY", description: "Your key", isRequired: true, isSecret: true },
        { name: "UNITS", default: "metric", choices: ["metric", "imperial"] },
        { name: "AGENT", value: "haft/{team}", variables: { team: { description: "Your team", default: "none" } } },
      ],
      packageArguments: [
        { type: "positional", valueHint: "city", isRequired: true },
        { type: "named", name: "--lang", value: "en" },
        { type: "named", name: "--debug", format: "boolean" },
      ],
    },
    {
      registryType: "oci",
      identifier: "docker.io/a/weather:1.2.0",
      transport: { type: "stdio" },
      environmentVariables: [{ name: "API_KEY", isRequired: true }],
    },
  ],
  remotes: [
    {
      type: "streamable-http",
      url: "https://{region}.weather.example/mcp",
      variables: { region: { description: "Region", default: "eu" } },
      headers: [
        { name: "Authorization", value: "Bearer {token}", variables: { token: { isRequired: true, isSecret: true } } },
      ],
    },
  ],
});

describe.skipIf(process.platform !== "linux")("the MCP registry", () => {
  beforeEach(() => {
    listed = [WEATHER, entry("water"), { ...entry("weather-old"), status: "deleted" }, entry("weather-maps")];
  });

  it("Q01 haft mcp search finds servers by all words on every page, and leaves out what was deleted", async () => {
    expect(await mcp("search", "weather")).toBe(0);
    expect(printed).toMatch(/io\.github\.a\/weather 1\.2\.0\n {4}Tells the weather\.\n {4}npm @a\/weather 1\.2\.0/);
    expect(printed).toContain("io.github.a/weather-maps");
    expect(printed).not.toContain("weather-old");
    expect(asked.every((url) => url.includes("version=latest"))).toBe(true);
    printed = "";
    await mcp("search", "maps", "weather", "--json");
    expect(JSON.parse(printed).map(({ name }: { name: string }) => name)).toEqual(["io.github.a/weather-maps"]);
    printed = "";
    await mcp("search", "nothing-like-it");
    expect(printed).toContain("has no server with these words");
  });

  it("Q01 haft mcp add starts a package of it, with the inputs filled in and the command shown first", async () => {
    const add = (...more: string[]) => mcp("add", "io.github.a/weather", "--scope", "user", ...more);
    await expect(add("--yes")).rejects.toThrow("It needs API_KEY");
    const given = ["-e", "API_KEY=s3cret", "-e", "city=Oslo; rm -rf ~"];
    await expect(add(...given, "-e", "UNITS=odd", "--yes")).rejects.toThrow("it is one of metric, imperial");
    await expect(add(...given)).rejects.toThrow("no terminal is attached");
    expect(printed).toContain("npx -y @a/weather@1.2.0 'Oslo; rm -rf ~' --lang=en");
    expect(printed).toContain("with API_KEY=***");
    expect(printed).not.toContain("s3cret");
    expect(await add(...given, "--yes")).toBe(0);
    expect(saved().weather).toEqual({
      command: "npx",
      args: ["-y", "@a/weather@1.2.0", "Oslo; rm -rf ~", "--lang=en"],
      env: { API_KEY: "s3cret", UNITS: "metric", AGENT: "haft/none" },
    });
  });

  it("Q01 takes a container or an address if asked to, and keeps secrets out of a shared file", async () => {
    const add = (...more: string[]) => mcp("add", "io.github.a/weather", "--yes", ...more);
    await add("--from", "oci", "--name", "box", "--scope", "user", "-e", "API_KEY=k");
    expect(saved().box.args).toEqual(["run", "-i", "--rm", "-e", "API_KEY", "docker.io/a/weather:1.2.0"]);
    const far = ["--from", "remote", "--name", "far", "--scope", "project"];
    await expect(add(...far, "-e", "token=s3cret")).rejects.toThrow("token is a secret, and .mcp.json is shared");
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the settings
    await add(...far, "-e", "token=${WEATHER_TOKEN}");
    expect(saved("work/.mcp.json").far).toEqual({
      type: "http",
      url: "https://eu.weather.example/mcp",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the settings
      headers: { Authorization: "Bearer ${WEATHER_TOKEN}" },
    });
    await expect(add("--from", "pypi")).rejects.toMatchObject({ hint: "It has: npm, oci, remote." });
  });

  it.each([
    [
      "a program that is no runner of packages",
      { registryType: "npm", identifier: "x", runtimeHint: "sh" },
      "has to be started with",
    ],
    ["an option in place of a package", { registryType: "npm", identifier: "--call=evil" }, "cannot be used"],
    ["a kind that is not known", { registryType: "cargo", identifier: "x" }, "unknown kind of package"],
    [
      "a bundle without a digest",
      { registryType: "mcpb", identifier: "https://a.example/a.mcpb" },
      "does not give the digest",
    ],
  ])("Q01 refuses %s", async (_, one, why) => {
    put("work/server.json", JSON.stringify(entry("odd", { packages: [one] }).server));
    await expect(mcp("add", "./server.json", "--yes")).rejects.toThrow("cannot be started here");
    expect(printed).toContain(why);
  });

  it("Q01 says what is wrong with a name, a file and a registry", async () => {
    await expect(mcp("add", "io.github.a/nothing", "--yes")).rejects.toThrow("has no such server");
    await expect(mcp("add", "io.github.a/weather-old", "--yes")).rejects.toThrow("was removed from the registry");
    await expect(mcp("add", "sub/server.json")).rejects.toThrow();
    put("work/server.json", "[]");
    await expect(mcp("add", "./server.json")).rejects.toThrow("is not a server.json");
    for (const [address, why] of [
      ["http://registry.example", "cannot be the address"],
      ["ftp://a", "cannot be the address"],
    ]) {
      put("home/.config/haft/settings.json", JSON.stringify({ mcpRegistry: address }));
      await expect(mcp("search", "x")).rejects.toThrow(why);
    }
  });

  it("Q12 a project does not choose the registry before it is trusted", async () => {
    put("work/.haft/settings.json", JSON.stringify({ mcpRegistry: "http://evil.example" }));
    expect(await mcp("search", "weather")).toBe(0);
    expect(asked.length).toBeGreaterThan(0);
  });
});

describe.skipIf(process.platform !== "linux")("an MCP bundle of the registry", () => {
  beforeEach(() => {
    const manifest = {
      ...{ manifest_version: "0.3", name: "Tide Tables", version: "1.0.0", description: "Tides." },
      server: { type: "node", entry_point: "server/index.js" },
      user_config: { port: { type: "string", title: "Port", required: true } },
    };
    bundle = zipOfFiles({ "manifest.json": JSON.stringify(manifest), "server/index.js": "process.stdin.resume()" });
  });
  const withBundle = (fileSha256: string) => {
    const packages = [
      { registryType: "mcpb", identifier: `${origin}/tides.mcpb`, fileSha256, transport: { type: "stdio" } },
    ];
    listed = [entry("tides", { packages })];
  };
  const add = (...more: string[]) => mcp("add", "io.github.a/tides", "--yes", ...more);

  it("Q01 is downloaded, checked against its digest, shown, and added with its options", async () => {
    withBundle("0".repeat(64));
    await expect(add("-e", "port=Oslo")).rejects.toThrow("has the wrong digest");
    withBundle(createHash("sha256").update(bundle).digest("hex"));
    await expect(add()).rejects.toThrow("It needs port");
    expect(await add("-e", "port=Oslo")).toBe(0);
    expect(printed).toContain("server Tide-Tables: node ./server/index.js");
    expect(printed).toContain("runs in the sandbox");
    const [installed] = JSON.parse(readFileSync(join(base, "state/plugins/plugins.json"), "utf8"));
    expect(installed).toMatchObject({ name: "Tide-Tables", source: `${origin}/tides.mcpb`, hash: expect.any(String) });
    await expect(mcp("remove", "Tide-Tables")).rejects.toMatchObject({
      hint: expect.stringContaining("haft plugin remove"),
    });
  });
});
