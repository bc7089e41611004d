import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseShell } from "./index.ts";
import "../../../test/support/seed.ts";

const env = { x: "from/env", y: "env" };
const readBy = (script: string): readonly string[] | undefined => {
  const { effects, opaque } = analyseShell(script, { cwd: "/w", home: "/home/u", env });
  return opaque ? undefined : effects.flatMap((effect) => (effect.do === "read" ? [effect.path] : []));
};

describe("variables that a function has for itself", () => {
  it("G01 a function's argument, also in a local variable, is known in the function", () => {
    expect(readBy('show() {\n  local f=$1\n  head -5 "$f"\n}\nshow a.txt\nshow b.txt')).toEqual(
      expect.arrayContaining(["/w/a.txt", "/w/b.txt"]),
    );
    expect(readBy('f() { local d; d=src; cat "$d/a"; }; f')).toContain("/w/src/a");
    expect(readBy("f() { local n=1; echo $((n + 1)); }; f")).toEqual([]);
  });

  it("G07 it is empty at first, gone behind the function, and no variable outside of one", () => {
    expect(readBy('x=sub; f() { local x; cat "$x/etc/shadow"; }; f')).toContain("/etc/shadow");
    expect(readBy('x=/etc/shadow; f() { local x=a; }; f; cat "$x"')).toContain("/etc/shadow");
    expect(readBy('x=/etc/shadow; readonly x; f() { local x=a; cat "$x"; }; f')).toContain("/etc/shadow");
    expect(readBy('f() { local x=a; g; cat "$x"; }; g() { unset x; }; x=/etc/shadow; f')).toBeUndefined();
    expect(readBy('local x=a; cat "$x"')).toContain("/w/from/env");
    expect(readBy(`f() { bash -c 'local x=a; cat "$x"'; }; f`)).toContain("/w/from/env");
  });

  it("G07 after an expansion that fails, bash and the analysis go on with the next line", () => {
    expect(readBy('y=/etc/shadow; : $((1 / 0)); y=a\ncat "$y"')).toContain("/etc/shadow");
    expect(readBy('y=/etc/shadow\nreadonly z=1\nf() { z=2; y=a; }\nf\ncat "$y"')).toContain("/etc/shadow");
    expect(readBy('y=/etc/shadow; s=a; : "${s:0:-9}"; y=a\ncat "$y"')).toContain("/etc/shadow");
    expect(readBy("y=-i; n=08; : $((n + 1)); y=-n\nsed $y 1d a")).toBeUndefined();
    expect(readBy("n=1; n=$((n + 1))\nf=a\ncat $f")).toEqual(["/w/a"]);
    expect(readBy('x=/etc/shadow; g() { local x=a; : $((1 / 0)); }; f() { g; x=b; }\nf\ncat "$x"')).toContain(
      "/etc/shadow",
    );
  });

  it("G07 each path that bash reads in such a script is among the foreseen ones", () => {
    const value = fc.constantFrom("a", "b/c", "/etc", "$x", "$y", "");
    const name = fc.constantFrom("x", "y");
    const statement = fc.oneof(
      fc.tuple(name, value).map(([to, held]) => `${to}="${held}"`),
      fc.tuple(name, value).map(([to, held]) => `local ${to}="${held}"`),
      name.map((one) => `local ${one}`),
      fc.tuple(fc.constantFrom("true", "false"), name).map(([is, one]) => `${is} && local ${one}=q`),
      fc.tuple(name, value).map(([one, held]) => `for ${one} in "${held}" z; do cat "$x/$y/l"; done`),
      fc.tuple(name, value).map(([one, held]) => `readonly ${one}="${held}"`),
      fc
        .tuple(fc.constantFrom(": $((1 / 0))", "n=08; : $((n + 1))", ': "${x:0:-9}"', ': "${x:=w}"'), name, value)
        .map(([fails, one, held]) => `${fails}; ${one}="${held}"`),
      fc.constantFrom('cat "$x/p"', 'cat "p/$x$y"', '( local x=s; cat "$x/s" )', "unset x", "return", "g", "g k"),
    );
    const part = fc.tuple(statement, fc.constantFrom("\n", "; "));
    const body = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) =>
      parts
        .flat()
        .join("")
        .replace(/(; |\n)$/, ""),
    );
    let known = 0;
    fc.assert(
      fc.property(body, body, body, (f, g, end) => {
        // Nothing calls itself: `g` means something in `f` and at the end only.
        const script = `g() {\n:\n${g.replace(/(^|; )g( k)?(?=;|$)/gm, "$1:")}\n}\nf() {\n:\n${f}\n}\n${end}\nf\ncat "$x/t"\nf\ncat "$x/u$y"`;
        const foreseen = readBy(script);
        if (foreseen === undefined) return;
        known++;
        const telling = `cat() { builtin printf '%s\\0' "$1"; }\n${script}`;
        const printed = execFileSync("bash", ["-c", `${telling}\ntrue`], { env, stdio: ["ignore", "pipe", "ignore"] });
        const read = `${printed}`.split("\0").filter((path) => path !== "");
        const places = read.map(
          (path) => new URL(path.replace(/^(?!\/)/, "/w/").replace(/\/+/g, "/"), "file:").pathname,
        );
        expect([script, places.filter((path) => !foreseen.includes(path.replace(/\/$/, "")))]).toEqual([script, []]);
      }),
      { numRuns: 400 },
    );
    expect(known).toBeGreaterThan(50);
  });
});
