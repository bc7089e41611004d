import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { unpackTar } from "../archive/unpack-tar.ts";
import { fetchPlugin } from "./fetch-plugin.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-fetch-")));
  mkdirSync(join(base, "kit"));
  writeFileSync(
    join(base, "kit/package.json"),
    '{"name": "kit", "version": "1.0.0", "scripts": {"prepare": "touch PWNED", "prepack": "touch PWNED"}}',
  );
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const fetch = (source: string, env: Record<string, string> = {}) =>
  fetchPlugin(source, join(base, "to"), {
    cwd: base,
    env: { ...process.env, HOME: base, ...env },
    signal: AbortSignal.timeout(60_000),
  });

/** One entry of a tar archive. */
function entry(name: string, content: string, { type = "0", link = "" } = {}): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write("0000644\0", 100);
  header.write(`${Buffer.byteLength(content).toString(8).padStart(11, "0")}\0`, 124);
  header.write(type, 156);
  header.write(link, 157, 100);
  header.write("ustar\0", 257);
  const body = Buffer.from(content);
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

describe("a plugin's source", () => {
  it("R03 is a folder or an archive, as tar makes it", async () => {
    await fetch("kit");
    expect(readdirSync(join(base, "to"))).toEqual(["package.json"]);
    rmSync(join(base, "to"), { recursive: true });
    execFileSync("tar", ["-czf", join(base, "kit.tgz"), "-C", base, "kit"]);
    await fetch("kit.tgz");
    expect(readdirSync(join(base, "to"))).toEqual(["package.json"]);
  });

  it("R03 is a git repository, whose hooks do not run", async () => {
    const git = (...args: string[]) => execFileSync("git", ["-C", join(base, "kit"), ...args], { stdio: "ignore" });
    git("init", "-q");
    git("add", ".");
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "One");
    await fetch(`file://${join(base, "kit")}`);
    expect(readdirSync(join(base, "to"))).toEqual(["package.json"]);
  });

  it("R03 is an npm package of a registry, whose scripts do not run", async () => {
    execFileSync("tar", ["-czf", join(base, "kit.tgz"), "-C", base, "--transform", "s/^kit/package/", "kit"]);
    const archive = readFileSync(join(base, "kit.tgz"));
    const server = createServer((request, response) => {
      if (request.url?.endsWith(".tgz")) return void response.end(archive);
      const dist = {
        tarball: `http://127.0.0.1:${(server.address() as AddressInfo).port}/kit.tgz`,
        integrity: `sha512-${createHash("sha512").update(archive).digest("base64")}`,
      };
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          name: "kit-of-a-test",
          "dist-tags": { latest: "1.0.0" },
          versions: { "1.0.0": { name: "kit-of-a-test", version: "1.0.0", dist } },
        }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      await fetch("kit-of-a-test", { npm_config_registry: registry, npm_config_cache: join(base, "cache") });
    } finally {
      server.close();
    }
    expect(readdirSync(join(base, "to"))).toEqual(["package.json"]);
    expect(existsSync(join(base, "to/PWNED"))).toBe(false);
  });

  it.each(["./nothing", "--upload-pack=evil", "ext::sh -c x", "a b"])("R03 cannot be %s", async (source) => {
    await expect(fetch(source)).rejects.toMatchObject({ code: "validation_failed" });
  });
});

describe("an archive", () => {
  it.each([
    ["a name that leads out", entry("../out.txt", "x")],
    ["an absolute name", entry("/etc/out.txt", "x")],
    ["a link", entry("link", "", { type: "2", link: "/etc/passwd" })],
    ["a hard link", entry("link", "", { type: "1", link: "/etc/passwd" })],
    ["a device", entry("dev", "", { type: "3" })],
    ["a cut file", entry("a.txt", "x".repeat(2000)).subarray(0, 700)],
    ["a bomb", gzipSync(Buffer.alloc(120_000_000))],
  ])("R03 with %s is refused before anything is written", (_, data) => {
    const to = join(base, "to");
    mkdirSync(to);
    expect(() => unpackTar(data[0] === 0x1f ? data : Buffer.concat([entry("good.txt", "x"), data]), to)).toThrow(
      /cannot be unpacked/,
    );
    expect(readdirSync(to)).toEqual([]);
  });

  it("R03 never writes outside its folder, for any bytes", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 90 }), fc.string(), (name, content) => {
        const to = mkdtempSync(join(base, "p-"));
        const before = readdirSync(base).length;
        try {
          unpackTar(entry(name, content), to);
        } catch {
          expect(readdirSync(to).length).toBeLessThanOrEqual(1);
        }
        expect(readdirSync(base).length).toBe(before);
      }),
      { numRuns: runs(200) },
    );
  });
});
