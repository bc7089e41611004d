// Ways out that no program of the system offers: calls by their numbers, with whatever arguments.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createScratch, known, type Scratch, WITHOUT_SANDBOX } from "../test/support/confined.ts";

/** The result of each system call; the numbers are those of x64. */
const CALLS: Readonly<Record<string, string>> = {
  "a file by its handle, past every mount": "304, 0, 0, 0",
  "a ring that makes calls past the filter": '425, 1, my $b="\\0"x120',
  "keys of the session": "250, 0, -3, 0",
  "a key of its own": '248, my $t="user", my $d="x", my $v="y", 1, -3',
  "a program in the kernel": '321, 0, my $b="\\0"x72, 72',
  "faults of the kernel held up": "323, 0",
  "counters of the machine": '298, my $b=pack("II",1,112).("\\0"x104), 0, -1, -1, 0',
  "the memory of the first process": "310, 1, 0, 0, 0, 0, 0",
  "the first process traced": "101, 16, 1, 0, 0",
  "a descriptor of another process": "438, 0, 0, 0",
  "a new file system": '430, my $f="tmpfs", 0',
  "a copy of a mount": '428, -100, my $p="/", 1',
  "other rights of a mount": "442, -1, 0, 0, 0, 0",
  "a user namespace": "272, 0x10000000",
  "a mount namespace": "272, 0x20000",
  "a namespace by a new call": '435, my $a=pack("Q8",0x10000000,0,0,0,17,0,0,0), 64',
  "the namespace of another": "308, 0, 0",
  "another root": '161, my $p="/tmp"',
  "a mount under the other numbers of x64": '0x40000000+165, my $a="none", my $b="/tmp", my $c="tmpfs", 0, 0',
  "a watch on the files that everybody opens": "300, 0, 0",
  "a module": "313, -1, 0, 0",
  "the log of the kernel": '103, 3, my $b="\\0"x256, 256',
  "a key typed into the terminal": '16, 0, 0x5412, my $c="x"',
  "one with bits that the kernel does not look at": '16, 0, 0x100005412, my $c="x"',
  "a disk": '133, my $p="disk", 0060600, 0x800',
  "another name of the machine": '170, my $h="x", 1',
};
/** Sockets that no network namespace holds: VSOCK, ALG, BLUETOOTH, QIPCRTR, TIPC, CAN, RDS and similar ones. */
const FAMILIES = Array.from({ length: 48 }, (_, family) => family).filter((family) => ![1, 2, 10, 16].includes(family));

describe.skipIf(WITHOUT_SANDBOX || process.arch !== "x64")(`ways out by calls (${WITHOUT_SANDBOX ?? "bwrap"})`, () => {
  let scratch: Scratch;
  beforeAll(async () => {
    scratch = await createScratch();
    const lines = Object.entries(CALLS).map(
      ([name, call]) => `{ my $r = syscall(${call}); print "${name}\\n" if $r >= 0 || $! == 14; }`,
    );
    const sockets = FAMILIES.map(
      (family) => `for my $t (1..5) { socket(my $s, ${family}, $t, 0) and print "socket ${family}\\n" }`,
    );
    await scratch.put({ "ws/calls.pl": ["use Socket;", ...lines, ...sockets, 'print "end\\n"'].join("\n") });
  });
  afterAll(() => scratch.close());

  it.each([["of which nobody knows what it does"], ["that only reads"]])(
    "G15 a command %s gets none of them",
    async (kind) => {
      const bound = kind.includes("reads") ? { bound: known() } : {};
      expect((await scratch.run("perl calls.pl 2>&1", bound)).output).toBe("end\n");
    },
  );

  it("G15 it gets no descriptor but its own, and no program of the machine to write into behind /proc", async () => {
    const { stdout } = await scratch.run(
      'ls /proc/self/fd | tr "\\n" " "; for p in /proc/[0-9]*; do for f in exe cwd/.. root/etc/hostname; do { : >> $p/$f; } 2> /dev/null && echo "$p/$f"; done; done',
    );
    expect(stdout).toBe("0 1 2 3 ");
  });

  it("G15 nothing of the workspace is loaded into the programs of a sandbox or runs with other rights", async () => {
    await scratch.put({ "ws/.inputrc": "x", "ws/ld.so.preload": "x", "ws/sitecustomize.py": "print('loaded')\n" });
    const { stdout } = await scratch.run(
      "cp /bin/sh own; chmod u+s own; ./own -c 'id -u; cat /proc/self/status' | grep -E '^[0-9]|CapEff|NoNewPrivs'; env | grep -E '^(LD_|PYTHONPATH|BASH_ENV|SSH_|GPG_|DBUS_|DISPLAY|WAYLAND|XAUTH|DOCKER_)'",
    );
    expect(stdout.replace(/\s+/g, " ")).toMatch(/^\d+ CapEff: 0+ NoNewPrivs: 1 $/);
  });

  it("G15 no socket of a desktop, an agent or a container engine is in sight", async () => {
    const { stdout } = await scratch.run(
      "ls -A /run /tmp/.X11-unix /dev/shm 2>/dev/null | grep -v : ; find /run /tmp /dev /var/run/ -type s 2>/dev/null; grep -c @ /proc/net/unix",
    );
    expect(stdout.trim()).toBe("0");
  });
});
