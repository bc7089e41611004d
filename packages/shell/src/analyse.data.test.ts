import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@haft/host/process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

  it("G07 nothing is concluded without a look, with a file that the script made, or with an option before it", async () => {
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

it("G03 a program or a module of Python is asked about: it may do anything", async () => {
  for (const command of ["python3 -c 'print(1)'", "python3 -m json.tool a.json", "python3 a.py", "python3"])
    expect([command, await reads(command)]).toEqual([command, undefined]);
});
