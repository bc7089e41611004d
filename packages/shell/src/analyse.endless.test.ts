import { describe, expect, it } from "vitest";
import { classifyCommand } from "./index.ts";

describe("commands that would take all of the machine", () => {
  it.each([
    "sort /dev/zero",
    "sort < /dev/urandom",
    "cat /dev/zero | tr '\\0' x | sort",
    "tail -n 5 /dev/zero",
    "jq -n --rawfile x /dev/zero '$x'",
    "grep -f /dev/zero a",
    "sed p /dev/zero",
    "yes | tac",
    "yes | grep y | sort",
    "(yes) | tac",
    "{ echo a; yes; } |& tac",
    "timeout 5 /usr/bin/yes | tac",
    "yes | head -c 100G | sort",
    "diff <(yes) a",
    "x=$(yes)",
    "x=$(</dev/zero)",
    "mapfile x < <(yes)",
    "seq 1e12 | sort",
    "for i in $(seq 100000000); do echo $i; done",
    "echo {1..100000000}",
    "echo {1..1000}{1..1000}",
    `echo ${"{a,b}".repeat(20)}`,
    `echo {${"{1..1000},".repeat(200)}x}`,
    "printf %1000000000d 1",
    "printf '%.1000000000d' 1",
    "printf '%*d' 1000000000 1",
    "bash -c 'sort /dev/zero'",
    "find . -exec sort /dev/zero ';'",
  ])("G03 %s is asked about", (command) => {
    expect(classifyCommand(command)).toBe("ask");
  });

  it.each([
    "head -c 16 /dev/urandom | xxd | sort",
    "tr -dc a-z < /dev/urandom | head -c 12",
    "x=$(tr -dc a-z < /dev/urandom | fold -w 8 | head -n 1)",
    "cat /dev/urandom | tr -dc a-z | fold -w 8 | head -3 | sort",
    "x=$(od -An -N4 -tu4 /dev/urandom)",
    "dd if=/dev/zero bs=1M count=10 | sha256sum",
    "yes | sed 5q",
    "/bin/cat /dev/urandom | head -c 12",
    "(yes | head -3) | tac",
    "yes | head -1000 | tac",
    "cmp -n 10 a /dev/zero",
    "seq 1000 | sort -R",
    "for i in {1..1000}; do echo $i; done",
    "printf '%-20s|%*s' a 10 b",
    "cat < /dev/null | sort",
  ])("G06 %s is not", (command) => {
    expect(classifyCommand(command)).toBe("allow");
  });
});
