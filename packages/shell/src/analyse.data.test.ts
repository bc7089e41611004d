import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import "../../../test/support/seed.ts";
import { createHost } from "@haft/host";
import { runs } from "../../../test/support/runs.ts";
import { analyseInPlace, classifyCommand } from "./index.ts";

let place: string;
const { files } = createHost().ports;

beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "haft-data-")));
  const put = (name: string, text: string) => writeFileSync(join(place, name), text);
  put("package.json", '{"version":"1.2.3","scripts":{"a":"b"}}');
  put("evil.cjs", "globalThis.ran = true; module.exports = { version: 'ran' };");
  for (const name of ["folder.json", "cmd"]) mkdirSync(join(place, name));
  put("folder.json/index.js", "module.exports = { version: 'ran' };");
  put("missing.json.js", "module.exports = { version: 'ran' };");
  symlinkSync("evil.cjs", join(place, "link.json"));
  symlinkSync("package.json", join(place, "fine.json"));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const judged = (command: string) => analyseInPlace(command, { cwd: place, home: "/home/u" }, files);
const reads = async (command: string): Promise<readonly string[] | undefined> => {
  const { opaque, effects } = await judged(command);
  return opaque ? undefined : effects.flatMap((effect) => (effect.do === "read" ? [effect.path] : []));
};

describe("one line of JavaScript that shows data", () => {
  it.each([
    `node -p "require('./package.json').version"`,
    `node -p 'require("./package.json").scripts["a-b"]?.[0]'`,
    `node --print "require('./fine.json').version"`,
    `node -e "console.log(require('./package.json').version);"`,
    `node -e "console.log('version:', require('./package.json').version, process.version)"`,
    `node -p "JSON.stringify(require('./package.json').scripts, null, 2)"`,
    `node -pe "Object.keys(require('./package.json').dependencies || {}).sort().join('\\n')" | head`,
    `node -e "JSON.parse(require('fs').readFileSync('package.json', 'utf8'))" && echo valid`,
    `node -e "console.log(JSON.parse(require('fs').readFileSync('evil.cjs')).version)"`,
    `node -e "const p = require('./package.json'); console.log(p.name + '@' + p.version, p.main || 'none')"`,
    `node -p "const p=require('./package.json'); p.version"`,
    `node -e "const fs = require('fs'); const d = JSON.parse(fs.readFileSync('package.json')); console.log(d.a.length)"`,
    `node -e "let a = JSON.parse(fs.readFileSync('a')); console.log(a.b); console.log(Object.keys(a).length)"`,
    `echo a && node -p "require('./package.json')" 2>/dev/null | head`,
  ])("G01 %s reads the file", async (command) => {
    expect((await reads(command))?.length).toBe(1);
  });

  it.each([
    ..."require('./link.json');require('./folder.json');require('./missing.json');require('./evil.cjs');require('json.json')".split(
      ";",
    ),
    ..."require('./package.json').a();require('./package.json')[process.exit()];require('./package');require(\"./package.json').version".split(
      ";",
    ),
    ..."require('./package.json'), 1|1+1|process.env|process.env.KEY|require('./package.json').a=1|import('./package.json')".split(
      "|",
    ),
    ...[
      "`${require('fs')}`",
      "JSON.stringify(require('fs').rmSync('a'))",
      "process.exit(1)",
      "require('./package.json').a`x`",
    ],
  ])("G07 %s is not taken for a reader", async (script) => {
    const quoted = `'${script.replaceAll("'", "'\\''")}'`;
    expect(await reads(`node -p ${quoted}`)).toBeUndefined();
    expect(await reads(`node -e 'console.log('${quoted}')'`)).toBeUndefined();
  });

  it.each([
    "const p = require('./package.json'); p.a()",
    "const p = require('./package.json'); console.log(q.version)",
    "const p = require('./evil.cjs'); console.log(p.version)",
    "const p = require('./link.json'); console.log(p.version)",
    "require('fs').readFileSync('a'); console.log(1)",
    "console.log(require('fs').readFileSync('.env'))",
    "JSON.parse(require('fs').readFileSync(process.argv[1]))",
    "JSON.parse(require('./fs').readFileSync('a'))",
    "fs.writeFileSync('a', 'b')",
    "const fs = require('./evil.cjs'); console.log(JSON.parse(fs.readFileSync('a')))",
    "const require = require('./package.json'); console.log(require('fs'))",
    "const p = require('./package.json'), fs = 1; console.log(p)",
  ])("G07 %s is not taken for a reader either", async (script) => {
    expect(await reads(`node -e "${script}"`)).toBeUndefined();
  });

  it("G07 nothing is concluded where nobody looked, where the script made the file, and with an option before it", async () => {
    const command = `node -p "require('./package.json').version"`;
    expect(classifyCommand(command)).toBe("ask");
    expect(await reads(`cp evil.cjs package.json; ${command}`)).toBeUndefined();
    expect(await reads(command.replace("-p", "-r ./evil.cjs -p"))).toBeUndefined();
    expect(await reads(`${command} -r ./evil.cjs`)).toBeUndefined();
    expect(await reads(`NODE_OPTIONS='-r ./evil.cjs' ${command}`)).toBeUndefined();
  });

  it("G07 node really runs what a link with such a name leads to: that is why it is looked at", () => {
    const printed = (name: string) =>
      execFileSync(process.execPath, ["-p", `require('./${name}').version`], { cwd: place, encoding: "utf8" }).trim();
    expect(["link.json", "folder.json", "missing.json"].map(printed)).toEqual(["ran", "ran", "ran"]);
    expect(printed("fine.json")).toBe("1.2.3");
  });
});

const READING: readonly (readonly [program: string, count: number])[] = [
  ["import json; print(json.load(open('package.json'))['version'])", 1],
  ["import sys, json; print(json.load(sys.stdin)['a'])", 0],
  ["import sys; print(sys.version)", 0],
  ["import sys\nprint(sys.version_info[:2], sys.executable)", 0],
  ["import json,sys; d=json.load(sys.stdin); print(len(d)); [print(x.get('name')) for x in d['items'] if x]", 0],
  [
    "import json\nwith open('package.json') as f:\n    d = json.load(f)\nfor k, v in d.items():\n    print(f'{k}: {v!r:>20}')",
    1,
  ],
  ["import json; d=json.load(open('package.json', encoding='utf-8')); print(json.dumps(d['scripts'], indent=2))", 1],
  ["print(sum(1 for line in open('package.json') if line.strip()))", 1],
  ["print(open('package.json', 'r').read()[:200])", 1],
  ["import re; print(re.findall(r'v\\d+', open('package.json').read()))", 1],
  ["import json; a, b = json.load(open('package.json')), json.load(open('fine.json')); print(set(a) - set(b))", 2],
  ["import json; print(sorted(json.load(open('package.json'))['x'], key=lambda e: -e['n'])[0])", 1],
  ["print(1)", 0],
  ["import sys; print(sys.path)", 0],
  ["import ast; ast.parse(open('package.json').read())", 1],
  ["import tomllib; print(tomllib.load(open('package.json', 'rb'))['project']['version'])", 1],
  ["import csv; [print(row['id']) for row in csv.DictReader(open('package.json'))]", 1],
  ["import json, sys; json.dump(json.load(sys.stdin), sys.stdout, indent=2)", 0],
  ["open('-')", 1],
];

const ACTING: readonly string[] = [
  "open('a','w')",
  "open('a', 'r+')",
  "open('a', mode='a')",
  "open(x)",
  "open('a' 'b', 'w')",
  "f = open; f('a', 'w')",
  "print(open)",
  "exec('1')",
  "eval('1')",
  "exec = 1; exec('1')",
  "[exec('1') for exec in [exec]]",
  "(lambda exec: 1)(exec('1'))",
  "print(exec('1'), end=exec)",
  "__import__('os')",
  "__builtins__ = 1; print(__builtins__)",
  "import os",
  "import json, os",
  "import json.tool",
  "import json as exec",
  "from os import system",
  "from json import codecs",
  "if 1: import os",
  "import sys; sys.modules['os'].system('id')",
  "import sys; sys.path.insert(0, '.'); import re",
  "import sys; sys.path = ['.']",
  "import json; json.codecs.open('a', 'w')",
  "import json; json . codecs",
  "import json; json. open('a')",
  "().__class__",
  "'{0.__class__}'.format(1)",
  "getattr(1, 'a')",
  "f'{exec(1)}'",
  "f'{open(1)}'",
  "print(f'{x:{exec}}')",
  "f'{1:{{exec(1)}}}'",
  "f'{{{exec(1)}}}'",
  "rf'{exec(1)}'",
  'F"{(lambda: exec)()}"',
  "f'{d['a']}'",
  "f'''{exec(1)}'''",
  "'''a''' + exec('1')",
  "''''''; exec(1)",
  "'a\\\n'; exec(1)",
  "r'\\\\'; exec(1)",
  "1 # x\nexec(1)",
  "\uff45xec('1')",
  "ex\\\nec('1')",
  "@print\ndef f(): pass",
  "class A: pass",
  "def f(): pass",
  "breakpoint()",
  "help()",
  "input()",
  "type('A', (), {})",
  "vars()['x']",
  "unknown()",
  "del print",
  "global x",
  "raise 1",
  "import sys; a = sys.path",
  "import sys\nmodules = 0\nprint(sys.\nmodules)",
  "import sys\nmodules = 0\nprint(sys. \n\n modules)",
  "import json; x = (json.\nopen('a'))",
  "t = 0; t'{exec(1)}'",
  "tr = 0; print(tr'{exec(1)}')",
  "import sys; print = [].append; print(sys.path)",
  "for print in [1]: pass",
  "import ast; ast.literal_eval('1')",
  "import csv; csv.writer(open('a'))",
  "import math; math.sys",
  "import sys; sys.stdout.write('a')",
  "",
];

/** What acts in a program, as Python itself takes it apart. */
const SEEN = `
import ast, json, sys
bad, parsed = [], 0
for program in json.load(sys.stdin):
    try:
        tree = ast.parse(program)
    except (SyntaxError, ValueError):
        continue
    parsed += 1
    fine = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call) and len(n.args) == 1 and not n.keywords and isinstance(n.args[0], ast.Constant)}
    for n in ast.walk(tree):
        if (isinstance(n, ast.Name) and (n.id in ("exec", "getattr") or n.id == "open" and id(n) not in fine)
            or isinstance(n, ast.Attribute) and n.attr not in ("load", "stdin")
            or isinstance(n, (ast.Import, ast.ImportFrom)) and any(a.name not in ("json", "sys") for a in n.names)):
            bad.append(program)
json.dump({"bad": bad, "parsed": parsed}, sys.stdout)
`;

const python = (program: string): string => `python3 -c '${program.replaceAll("'", "'\\''")}'`;

describe("one line of Python that shows data", () => {
  it.each(READING)("G01 %s reads", async (program, count) => {
    expect((await reads(python(program)))?.length).toBe(count);
  });

  it.each(ACTING)("G07 %s is not taken for a reader", async (program) => {
    if (program === "") return expect(await reads("python3 -c")).toBeUndefined();
    expect(await reads(python(program))).toBeUndefined();
  });

  it("G07 one acting line among reading ones is found, wherever it stands", async () => {
    const acting = ACTING.filter((line) => line !== "" && !line.startsWith("1 #"));
    const lines = fc.array(fc.constantFrom(...READING.map(([program]) => program)), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(lines, fc.constantFrom(...acting), lines, async (before, line, after) => {
        expect(await reads(python([...before, line, ...after].join("\n")))).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  it("G07 nothing is concluded where nobody looked, where a module may lie, and for what it is given", async () => {
    const command = python("import json; print(json.load(open('package.json')))");
    expect(classifyCommand(command)).toBe("ask");
    expect(await reads(`echo x > json.py; ${command}`)).toBeUndefined();
    expect(await reads(`${command} a b`)).toBeUndefined();
    expect(await reads(command.replace("-c", "-i -c"))).toBeUndefined();
    expect(await reads('python3 -c "print($X)"')).toBeUndefined();
    writeFileSync(join(place, "cmd/json.py"), "");
    expect(await reads(`cd cmd; ${python("import json")}`)).toBeUndefined();
  });

  it.skipIf(!existsSync("/usr/bin/python3"))(
    "G07 of what is let through, Python itself sees no name that acts, however its words are put together",
    async () => {
      const pieces =
        "print( len( ) [ ] { } , : . = ; + ' \" 'a' \"b\" f'{ }' f\"{ }\" {{ }} r' \\ \\' ! !r :> # \\n lambda for x in open 'w' open('a') exec exec(1) " +
        "getattr json sys import load stdin __class__ modules format as with sys. modules t' t\"";
      const piece = fc.constantFrom(...pieces.split(" "), " ", "\n");
      const start = fc.constantFrom(
        "print(",
        "modules = t = 0\nprint(sys.",
        "f'{",
        'f"{',
        "x = ",
        "import json; ",
        "[",
        "'",
      );
      const programs: string[] = [];
      const body = fc.tuple(start, fc.array(piece, { minLength: 1, maxLength: 7 }));
      await fc.assert(
        fc.asyncProperty(body, async ([first, rest]) => {
          const program = first + rest.join("");
          if ((await reads(python(program))) !== undefined) programs.push(program);
        }),
        { numRuns: runs(1_000) },
      );
      const found = execFileSync("/usr/bin/python3", ["-I", "-c", SEEN], { input: JSON.stringify(programs) });
      const { bad, parsed } = JSON.parse(found.toString()) as { bad: string[]; parsed: number };
      expect(bad).toEqual([]);
      expect(parsed).toBeGreaterThanOrEqual(Math.floor(runs(1_000) / 200));
    },
    60_000,
  );

  it("G17 a private file is one here, too", async () => {
    expect(await reads(python("print(open('.env').read())"))).toContain(join(place, ".env"));
  });
});
