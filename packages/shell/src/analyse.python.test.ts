import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@haft/host";
import { afterAll, describe, expect, it } from "vitest";
import { analyseInPlace } from "./index.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "haft-python-")));
const { files } = createHost().ports;
afterAll(() => rmSync(place, { recursive: true, force: true }));

const isAllowed = async (program: string): Promise<boolean> => {
  const command = `python3 -c '${program.replaceAll("'", "'\\''")}'`;
  return !(await analyseInPlace(command, { cwd: place, home: "/home/u" }, files)).opaque;
};
const LIST = "import sys\nx = [0]\nf = lambda p: p.append('evil')\n";

describe("what a short program in Python could reach", () => {
  it.each([
    "print, x[0] = f, 0\nprint(sys.path)",
    "print: 0 = f\nprint(sys.path)",
    "x = print, y = f, 0\nprint(sys.path)",
    "for x[1 in x], print in [(0, f)]: print(sys.path)",
    "with x as (print, y): print(sys.path)",
    "g = lambda *, a=[y for y in 'a'], print: print(sys.path)\ng(**{'print': f})",
    "x1for = 0; [0x1for print in [f] for y in [print(sys.path)]]",
  ])("G07 the list by which it finds modules is not handed to what took the name of print: %s", async (program) => {
    expect(await isAllowed(LIST + program)).toBe(false);
  });

  it.each([
    "ast.parse('x x', '/etc/shadow')",
    "ast.parse(source='x x', filename='/etc/shadow')",
    "ast.parse(*['x x', '/etc/shadow'])",
    "ast.parse(**{'source': 'x x', 'filename': '/etc/shadow'})",
    "print(*map(ast.parse, ['x x'], ['/etc/shadow']))",
    "(ast.parse)('x x', '/etc/shadow')",
    "json.loads = ast.parse; json.loads('x x', '/etc/shadow')",
  ])("G07 no error shows a line of a file that %s names", async (program) => {
    expect(await isAllowed(`import ast, json; ${program}`)).toBe(false);
  });

  it.each([
    "import sys; print(sys.path); print('a')",
    "import ast; print(ast.dump(ast.parse(open('a.py').read())))",
    "import ast, sys; ast.parse(sys.stdin.read())",
    "print(*map(print, 'ab'))",
  ])("G01 %s is allowed", async (program) => {
    expect(await isAllowed(program)).toBe(true);
  });
});
