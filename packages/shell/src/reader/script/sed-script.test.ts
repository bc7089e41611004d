import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { classifyCommand } from "../../index.ts";
import "../../../../../test/support/seed.ts";

const place = mkdtempSync(join(tmpdir(), "haft-sed-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const ends = fc.constantFrom("\n", "\n", "\\\n", "\\\\\n", ";", "}", "");
const part = fc
  .tuple(
    fc.constantFrom("s/a", "s,a", "y/a", "/a", "\\xa", "p", "a t", "a\\", "#", "{p", "s/a/b", ":a", "s/[/]"),
    ends,
    fc.constantFrom("w out", "1e touch out", "x", "s/a/b/w out", "}w out"),
    ends,
    fc.constantFrom("/b/p", "/b/", "/p", ",b,", "xp", "p", "/bcdefghi/", "}", ""),
  )
  .map((list) => list.join(""));
/** After a part that ends in a backslash, the rest of the line is text. */
const scripts = fc.tuple(fc.constantFrom("a\\", "i\\", "$!a x\\", "p"), part, fc.option(part, { nil: "p" }));

const quoted = (text: string): string => `'${text}'`;

it("G03 an allowed script of sed writes nothing and starts nothing, in any division into parts", {
  timeout: 60_000,
}, () => {
  writeFileSync(join(place, "a"), "a b\nb a\n");
  const allowed = new Set<string>();
  fc.assert(
    fc.property(scripts, (parts) => {
      const command = `sed ${parts.map((one) => `-e ${quoted(one)}`).join(" ")} a`;
      if (/out/.test(command) && classifyCommand(command) === "allow") allowed.add(command);
    }),
    { numRuns: 20_000 },
  );
  expect(allowed.size).toBeGreaterThan(20);
  const all = [...allowed]
    .slice(0, 300)
    .map((command) => `${command}; [ ! -e out ] || { echo ${quoted("written")}; exit; }`);
  const said = execFileSync("bash", ["-c", all.join("\n")], { cwd: place, stdio: ["ignore", "pipe", "ignore"] });
  expect([existsSync(join(place, "out")), `${said}`.includes("written")]).toEqual([false, false]);
  expect(readdirSync(place)).toEqual(["a"]);
});
