import { describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { classifyCommand } from "./index.ts";

describe("a command that changes something is asked about", () => {
  it("G03 file commands", () => {
    for (const name of [
      "rm",
      "mv",
      "cp",
      "mkdir",
      "chmod",
      "chown",
      "touch",
      "ln",
      "dd",
      "truncate",
      "tee",
      "install",
      "rmdir",
    ]) {
      expect([name, classifyCommand(`${name} a b`)]).toEqual([name, "ask"]);
    }
  });

  it("G04 git commands that write", () => {
    const writing =
      "add commit push merge rebase reset checkout switch restore pull clone init rm mv cherry-pick revert clean gc am apply";
    for (const name of writing.split(" ")) expect([name, classifyCommand(`git ${name} x`)]).toEqual([name, "ask"]);
  });

  it("G06 unknown commands, syntax errors and names that are not known before the run", () => {
    for (const command of [
      "frobnicate",
      "ls | ",
      "echo 'a",
      "$X",
      '"$X" a',
      "$(echo rm) x",
      "`echo rm` x",
      "l?",
      "{ls,-la}",
      "X=ls; $X",
      "$'\\x6cs'",
      "l${X}s",
      "for c in ls pwd; do $c; done",
      "./ls",
      "if",
    ]) {
      expect([command, classifyCommand(command)]).toEqual([command, "ask"]);
    }
  });

  it("G06 control characters, over-long and over-deep scripts, quickly", () => {
    const odd = [
      "ls\r",
      "ls \u0000x",
      "ls \u001b[2J",
      `echo ${"a".repeat(20_000)}`,
      `${"(".repeat(3_000)}ls${")".repeat(3_000)}`,
      `echo ${"$(echo ".repeat(900)}x${")".repeat(900)}`,
    ];
    odd.push(
      `${"f() { f; f; f; }; f; ".repeat(3)}`,
      "x".repeat(1_000_000),
      `${"for i in 1 2; do ".repeat(60)}ls${"; done".repeat(60)}`,
    );
    for (const script of odd) {
      const start = performance.now();
      expect(classifyCommand(script)).toBe("ask");
      expect(performance.now() - start).toBeLessThan(patience(1_000));
    }
  });

  it("G01 forbidden programs are denied at any place, and only they", () => {
    const forbidden = ["sudo", "shutdown", "mkfs"];
    const denied = [
      "sudo ls",
      "ls; shutdown now",
      "echo $(sudo x)",
      "env sudo x",
      "bash -c 'sudo x'",
      "/sbin/shutdown",
      "mkfs.ext4 /dev/x",
      "timeout 5 sudo -u root x",
      "f() { sudo x; }; f",
      "env -S 'sudo x'",
      "xargs sudo rm",
      "find . -exec sudo rm {} \\;",
      "s'ud'o x",
      "FOO=1 sudo x",
      "su -c 'shutdown now'",
      "flock f -c 'sudo x'",
    ];
    for (const command of denied) expect([command, classifyCommand(command, { forbidden })]).toEqual([command, "deny"]);
    for (const command of ["echo sudo", "ls sudo", "grep mkfs a"])
      expect(classifyCommand(command, { forbidden })).toBe("allow");
    expect(classifyCommand("sudo ls")).toBe("ask");
  });
});
