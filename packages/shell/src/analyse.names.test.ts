import { describe, expect, it } from "vitest";
import { analyseShell } from "./index.ts";
import { readThroughLinks } from "./reader/output-files/links.ts";

const readBy = (script: string): string[] =>
  analyseShell(script, { cwd: "/w/p", home: "/home/u" }).effects.flatMap((effect) =>
    effect.do === "read" ? [`${effect.path}${effect.tree ? "/**" : ""}`] : effect.do === "unknown" ? ["?"] : [],
  );

/** The folders of which links are followed wherever they lie, and on from there. */
const goingOn = (script: string): string[] =>
  readThroughLinks(analyseShell(script, { cwd: "/w/p", home: "/home/u" }).effects).flatMap(({ root, opens, goesOn }) =>
    goesOn && opens(`${root}/a/b/c`) ? [root] : [],
  );

/** The effects that concern the private file. */
const toldBy = (script: string) =>
  analyseShell(script, { cwd: "/w/p", home: "/home/u" }).effects.flatMap((effect) =>
    effect.do === "read" && effect.path === "/w/p/.env" ? [effect.shows ?? "content"] : [],
  );

// Ways in which a script learns about files without opening them by name, or through links in a tree.
describe("names and links", () => {
  it.each([
    ...["grep -R x src", "grep -rnR x .", "grep -nRA3 x .", "grep --dereference-recursive x .", "egrep -Ri x ."],
    ...[
      "rg -L x",
      "rg -nL x src",
      "rg --follow x src",
      "fd -L x",
      "ugrep -R x",
      "find -L . -name x",
      "find src -follow",
    ],
    ...["find -O2 -L .", "ls -LR", "ls -R -L", "ls --recursive --dereference", "tree -l", "tree -dl", "du -shL src"],
    ...["timeout 5 grep -R x .", "find . -name x -exec grep -R y {} +"],
  ])("G07 %s goes through the links of a tree, anywhere", (script) => {
    expect(goingOn(script).length).toBeGreaterThan(0);
    expect(readBy(script)).toContain("//**");
  });

  it.each([
    ...["grep -r x src", "rg x", "find -H . -name x", "ls -L src", "ls -R", "tree", "du -sh src", "cp -r src docs"],
    ...["find . -path -Lx", "rg --files", "grep -rl x ."],
  ])("G07 %s does not", (script) => expect([readBy(script).includes("//**"), goingOn(script)]).toEqual([false, []]));

  it("G07 a command that copies through links may read anything", () =>
    expect(readBy("cp -rL src docs")).toContain("//**"));

  it.each([
    ["echo /root/*", "/root/**"],
    ["printf '%s\\n' ~/.ssh/*", "/home/u/.ssh/**"],
    ["for f in /root/*; do echo x; done", "/root/**"],
    ["a=(/root/*); echo x", "/root/**"],
    ['f() { echo "$@"; }; f /root/*', "/root/**"],
    ["set -- /root/*", "/root/**"],
    ["x='/root/*'; echo $x", "/root/**"],
    ["x=/root/*; echo $x", "/root/**"],
    ["echo ../*", "/w/**"],
    ["echo src/*", "/w/p/src/**"],
    ["echo .*/*", "?"],
  ])("G07 %s lists a folder", (script, place) => expect(readBy(script)).toContain(place));

  it("G07 a text with a wildcard that nobody opens lists nothing, and a reader says it once", () => {
    for (const script of ["x='/root/*'", "x='/root/*'; echo \"$x\"", "echo '/root/*'", "case /root/* in a) ;; esac"])
      expect([script, readBy(script)]).toEqual([script, []]);
    expect(readBy("cat src/*")).toEqual(["/w/p/src/**"]);
  });

  it.each([
    ["[[ -f /etc/x ]]", "/etc/x"],
    ["[ -f /etc/x ]", "/etc/x"],
    ["[[ a -nt ~/.ssh/k ]]", "/home/u/.ssh/k"],
    ["[[ ! ( -d src && -e ../x ) ]]", "/w/x"],
    ['[[ -f "$X" ]]', "?"],
  ])("G07 %s learns whether a file is there", (script, place) => expect(readBy(script)).toContain(place));

  it("G07 an option that names a file reads it", () => {
    expect(readBy("git blame -S /etc/x a")).toContain("/etc/x");
    expect(readBy("git config -f ../x --list")).toContain("/w/x");
    expect(readBy("git grep --no-index x /etc/x")).toContain("/etc/x/**");
    expect(readBy("git grep --no-index x src")).toContain("/w/p/src/**");
  });

  it.each([
    "ls -la .env* 2>/dev/null || true",
    '[ -f .env ] && echo "has env" || echo none',
    "[[ -f .env ]] && echo yes",
    "test -s .env; stat -c %s .env | head -1",
    "if [ -e .env ]; then ls -l .env; fi",
  ])("G01 G15 %s tells of a file that it is there", (script) => {
    expect(toldBy(script).length).toBeGreaterThan(0);
    expect(new Set(toldBy(script))).toEqual(new Set(["names"]));
  });

  it.each([
    "[ -f .env ] && cat .env",
    "[[ -f .env ]] && cat notes.txt",
    "ls .env; head -1 second-name.txt",
    "ls -la .env*; wc -l < notes.txt",
    "f() { $1 .env; }; f ls; f cat",
    'f() { "$1" .env; }; f cat; f stat',
    "ls .env | xargs cat",
    "find .env -exec cat {} +",
    "[[ -f .env ]] && ./run.sh",
    "[ -f .env ]; npm test",
    "file .env",
    "timeout 5 ls .env",
  ])("G15 %s tells more, or could", (script) => expect(toldBy(script)).not.toContain("names"));
});
