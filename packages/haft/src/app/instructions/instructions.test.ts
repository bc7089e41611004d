import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import type { HaftOptions } from "../haft.ts";
import { importsIn } from "./imports.ts";

const places = sessionPlaces("instructions");

/** A folder with these files, and a trusted session in it. Names that begin with ~ lie in the user's home. */
async function open(files: Readonly<Record<string, string>>, options: HaftOptions = {}, cwd = "") {
  const place = places.make();
  mkdirSync(join(place.cwd, ".git"));
  for (const [name, text] of Object.entries(files)) {
    const path = name.startsWith("~/") ? join(place.base, "home", name.slice(2)) : join(place.cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const { settings: _, ...rest } = place.options;
  const haft = await places.open({ ...rest, cwd: join(place.cwd, cwd), trusted: true, onNotice: () => {}, ...options });
  const told = () => haft.notices.filter(({ code }) => code === "instructions").map(({ message }) => message);
  return { ...place, haft, told };
}

describe("instruction files", () => {
  it("E25 are the user's, then the project's from its root down: the nearest comes last", async () => {
    const { haft } = await open(
      {
        "~/.config/haft/AGENTS.md": "user agents",
        "~/.claude/CLAUDE.md": "user claude",
        "AGENTS.md": "root agents",
        "CLAUDE.md": "root claude",
        "a/b/AGENTS.md": "near agents",
        "a/b/c/AGENTS.md": "below",
      },
      {},
      "a/b",
    );
    const text = await haft.instructions();
    const order = ["user agents", "user claude", "root agents", "root claude", "near agents"].map((one) =>
      text.indexOf(one),
    );
    expect(order.every((at) => at > 0)).toBe(true);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(text).not.toContain("below");
  });

  it("E25 of a folder that is not trusted are not read, and a notice says how to", async () => {
    const { haft, told } = await open(
      { "AGENTS.md": "words of the repository", "~/.claude/CLAUDE.md": "mine" },
      { trusted: false },
    );
    expect(await haft.instructions()).toContain("mine");
    expect(await haft.instructions()).not.toContain("words of the repository");
    expect(told()).toEqual([expect.stringContaining("not trusted")]);
  });

  it("E25 import other files once, and no file outside the project or that the rules keep", async () => {
    const { haft, base, cwd, told } = await open(
      {
        "AGENTS.md":
          "See @docs/style.md and @docs/loop.md, not `@docs/code.md`.\n```\n@docs/code.md\n```\n@link.md @.env @secret.md",
        "CLAUDE.md": "@AGENTS.md",
        "docs/style.md": "the style",
        "docs/loop.md": "@loop.md @../AGENTS.md the loop",
        "docs/code.md": "the code",
        "secret.md": "the secret",
        ".env": "TOKEN=1",
      },
      { rules: { deny: ["Read(secret.md)"] } },
    );
    writeFileSync(join(base, "outside.md"), "outside");
    symlinkSync(join(base, "outside.md"), join(cwd, "link.md"));
    const text = await haft.instructions();
    expect(text.match(/the style/g)).toHaveLength(1);
    expect(text.match(/the loop/g)).toHaveLength(1);
    for (const absent of ["the code", "outside\n", "the secret", "TOKEN"]) expect(text).not.toContain(absent);
    expect(told().join("\n")).toMatch(/link\.md: not read, because it is outside/);
    expect(told().join("\n")).toMatch(/secret\.md: not read, because the rules/);
    expect(told().join("\n")).toMatch(/\.env: not read, because the rules/);
  });

  it("E25 are bounded: the nearest is kept whole, and a notice says what was left out", async () => {
    const { haft, told } = await open({ "AGENTS.md": "r".repeat(70_000), "a/AGENTS.md": "near" }, {}, "a");
    const text = await haft.instructions();
    expect(text.length).toBeLessThan(65_000);
    expect(text).toContain("near");
    expect(told()).toEqual([expect.stringMatching(/60\d\d of its 70000 characters/)]);
  });

  it("E25 any text is searched for imports without an error", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("@", "a.md", "```", "\n", " ", "`", "~/", "../", "x@y.z")), (parts) => {
        for (const { text, path } of importsIn(parts.join(""), "/w/AGENTS.md", "/h")) {
          expect(text.startsWith("@")).toBe(true);
          expect(path.startsWith("/")).toBe(true);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
