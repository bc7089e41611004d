import { readFileSync } from "node:fs";
import { createPolicy, type Policy, type RuleSource } from "@haft/core/policy";
import { surveysFor } from "@haft/sandbox/system-folders";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseShell, classifyCommand } from "./index.ts";
import "../../../test/support/seed.ts";

// Commands that agents were recorded to issue, one of each shape, judged by reading before anybody saw how they are classified. Names,
// words and paths are exchanged for neutral ones; programs, options, quotes and operators are as they were. The project lies in /workspace;
// a line break or tab inside a command is written as a picture.
const listed = (name: string): string[] =>
  readFileSync(new URL(`../test/corpus/${name}.txt`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.replaceAll("␤", "\n").replaceAll("␉", "\t"));

const readers = listed("real-readers");
const changing = listed("real-changing");
const asked = (commands: readonly string[]) => commands.filter((command) => classifyCommand(command) !== "allow");

describe("the commands that agents really issue", () => {
  it("G01 commands of any shape that only look go through without a question", () => {
    expect(readers.length).toBeGreaterThan(550);
    expect(asked(readers).length / readers.length).toBeLessThan(0.03);
  });

  it("G01 nearly no single command or pipeline among them is held up", () => {
    const plain = readers.filter((command) => !/[\n;&]|\|\||\$\(|<\(|xargs|-exec/.test(command));
    expect(plain.length).toBeGreaterThan(350);
    // The others have their program in a file (jq -f), names from a pattern, a folder for scratch files, or an odd program.
    expect(asked(plain).filter((command) => !/jq -rf|tshark|grep \w+\.\*png|\/tmp rg /.test(command))).toEqual([]);
  });

  it("G01 F29 rules that mean files below the workspace hold up few of them", () => {
    const place = { cwd: "/workspace", home: "/home/user" };
    const workspace = { root: "/workspace", startedIn: "/workspace", additional: [], platform: "linux", ...place };
    const rules: readonly RuleSource[] = [
      { behavior: "deny", text: "Read(.env)", origin: "user" },
      { behavior: "deny", text: "Read(secrets/**)", origin: "user" },
      { behavior: "ask", text: "Read(**/*.pem)", origin: "user" },
    ];
    const share = (policy: Policy) =>
      readers.filter((command) => {
        const { effects } = analyseShell(command, place);
        const tool = { name: "Bash", origin: "builtin" };
        return policy.decide({ tool, input: { command }, effects }).decision === "allow";
      }).length / readers.length;
    const kept = createPolicy({ workspace, rules, keepsReaders: surveysFor });
    // The others show former versions: git log -p, git diff, git show.
    expect(share(createPolicy({ workspace })) - share(kept)).toBeLessThan(0.08);
    expect(share(createPolicy({ workspace, rules }))).toBeLessThan(0.7);
  });

  it("G02 git that looks is not held up, save with a folder that git itself is to name", () => {
    const git = readers.filter((command) => /^(cd \S+ && )?git /.test(command));
    expect(git.length).toBeGreaterThan(90);
    expect(asked(git).filter((command) => !/\$\(git rev-parse|grep \w+\.\*png/.test(command))).toEqual([]);
  });

  it("G03 commands that change, run what nobody knows or fetch are asked about, each of them", () => {
    expect(changing.length).toBeGreaterThan(340);
    expect(changing.filter((command) => classifyCommand(command) === "allow")).toEqual([]);
  });

  it("G07 a change is asked about after, before and beside any command that looks", () => {
    const joined = fc.constantFrom(" && ", "; ", " || ", " | ", " & ", "\n");
    // A comment would take the other half with it.
    const whole = (command: string) => !command.includes("#");
    const looks = fc.constantFrom(...readers.filter(whole));
    const changes = fc.constantFrom(...changing.filter((command) => whole(command) && !/&\s*$/.test(command)));
    fc.assert(
      fc.property(looks, joined, changes, fc.boolean(), (look, operator, change, first) => {
        const script = first ? `${change}${operator}${look}` : `${look}${operator}${change}`;
        expect([script, classifyCommand(script)]).toEqual([script, "ask"]);
      }),
      { numRuns: 300 },
    );
  });

  it("G01 a command is judged alike alone, in a group, in a subshell and behind `time`", () => {
    const all = fc.constantFrom(...readers, ...changing.filter((command) => !/&\s*$/.test(command)));
    fc.assert(
      fc.property(all, (command) => {
        const alone = classifyCommand(command);
        const wrapped = [`(${command}\n)`, `{ ${command}\n}`, `time ${command}`].map((script) =>
          classifyCommand(script),
        );
        expect([command, ...wrapped]).toEqual([command, alone, alone, alone]);
      }),
      { numRuns: 200 },
    );
  });
});
