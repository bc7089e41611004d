import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@haft/host/process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyseInPlace, classifyCommand } from "./index.ts";

let place: string;
const { files } = createHost().ports;
const at = (name: string): string => join(place, name);

beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "haft-programs-")));
  writeFileSync(at("plain.jq"), '# picks names\n.a | select(. != "") | env.HOME, $ENV.HOME, input_filename\n');
  writeFileSync(at("loads.jq"), `import "secret" as $s {search: "${place}/elsewhere"}; $s\n`);
  writeFileSync(at("includes.jq"), 'include "lib"; .a\n');
  writeFileSync(at("asks.jq"), '"lib" | modulemeta\n');
  const hidden = Buffer.from("#a#b#c#d#e#f#g#h#i#j#k#l", "utf16le");
  writeFileSync(at("odd.jq"), Buffer.concat([hidden, Buffer.from(`\nimport "secret" as $s {search: "/x"}; $s`)]));
  writeFileSync(at("huge.jq"), `${"#\n".repeat(200_000)}.a`);
  writeFileSync(at("a.json"), '{"a": "b"}');
  mkdirSync(at("folder.jq"));
  mkdirSync(at("elsewhere"));
  writeFileSync(at("elsewhere/secret.json"), '"hidden-value"');
  symlinkSync("loads.jq", at("link.jq"));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const judged = (command: string) => analyseInPlace(command, { cwd: place, home: "/home/u" }, files);

describe("programs of jq that lie in files", () => {
  it.each([
    ...[
      "jq -f plain.jq a.json",
      "jq -rf plain.jq a.json",
      "jq -r -f plain.jq a.json | head",
      "cat a.json | jq -rf plain.jq",
    ],
    ...[
      "jq --from-file plain.jq a.json",
      "jq --arg x y -f plain.jq a.json",
      "jq -f ./plain.jq -r a.json",
      "jq -nf plain.jq",
    ],
  ])("G01 %s reads it, and the files that it is given", async (command) => {
    const { opaque, effects } = await judged(command);
    expect([command, opaque]).toEqual([command, false]);
    expect(effects).toContainEqual(expect.objectContaining({ do: "read", path: at("plain.jq") }));
  });

  it.each([
    ...["jq -f loads.jq a.json", "jq -f includes.jq a.json", "jq -f asks.jq", "jq -f link.jq", "jq -f odd.jq"],
    ...["jq -f huge.jq", "jq -f folder.jq", "jq -f missing.jq", "jq -f /dev/stdin a.json", "jq -f - a.json"],
    ...[
      "jq -f <(echo .) a.json",
      'jq -f "$F" a.json',
      "jq -f *.jq",
      "jq plain.jq -f loads.jq",
      "jq loads.jq -f plain.jq",
    ],
    ...[
      "jq -fr plain.jq a.json",
      "jq -frx plain.jq",
      "jq -f plain.jq -f loads.jq",
      "jq -f plain.jq --from-file loads.jq",
    ],
    ...[
      "jq --from-file=plain.jq a.json",
      "jq -L . -f plain.jq",
      "jq -f",
      "jq --indent 2 -f plain.jq",
      "jq -f plain.jq; make",
    ],
    ...["jq -n '\"x\" | modulemeta'", "cp loads.jq x.jq; jq -f x.jq", "jq -f plain.jq > plain.jq; jq -f plain.jq"],
    ...["echo 'include \"x\";' > plain.jq; jq -f plain.jq", "for i in 1 2; do jq -f plain.jq; echo x > plain.jq; done"],
  ])("G07 %s is not taken for a reader", async (command) => {
    expect([command, (await judged(command)).opaque]).toEqual([command, true]);
    expect(classifyCommand(command)).toBe("ask");
  });

  it("G07 nothing is concluded where nobody looked", async () => {
    expect(classifyCommand("jq -f plain.jq a.json")).toBe("ask");
    const { locate } = files;
    expect((await analyseInPlace("jq -f plain.jq", { cwd: place, home: "/home/u" }, { locate })).opaque).toBe(true);
  });

  it.skipIf(!existsSync("/usr/bin/jq"))(
    "G07 such a program really reads elsewhere: that is why it is looked at",
    () => {
      const jq = (program: string) => execFileSync("jq", ["-f", at(program), at("a.json")], { encoding: "utf8" });
      expect(jq("loads.jq")).toContain("hidden-value");
    },
  );
});
