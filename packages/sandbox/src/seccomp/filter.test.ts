import { describe, expect, it } from "vitest";
import { createScratch, WITHOUT_SANDBOX } from "../../test/support/confined.ts";
import { seccompFilter } from "./index.ts";

const CALLS = 0x7fff_0000;
const NUMBERS = {
  x64: {
    mount: 165,
    keyctl: 250,
    io_uring_setup: 425,
    clone: 56,
    clone3: 435,
    unshare: 272,
    ioctl: 16,
    read: 0,
    kill: 62,
    ptrace: 101,
  },
  arm64: {
    mount: 40,
    keyctl: 219,
    io_uring_setup: 425,
    clone: 220,
    clone3: 435,
    unshare: 97,
    ioctl: 29,
    read: 63,
    kill: 129,
    ptrace: 117,
  },
} as const;
const MACHINE = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;

/** The verdict of the kernel: a filter is a program over the bytes of a call. */
function judge(
  filter: Uint8Array,
  { number, machine, args = [] }: { number: number; machine: number; args?: number[] },
) {
  const call = new DataView(new ArrayBuffer(64));
  call.setUint32(0, number, true);
  call.setUint32(4, machine, true);
  for (const [index, value] of args.entries()) call.setBigUint64(16 + 8 * index, BigInt(value), true);
  const code = new DataView(filter.buffer, filter.byteOffset, filter.byteLength);
  let held = 0;
  for (let at = 0; ; at++) {
    const [op, yes, no] = [code.getUint16(at * 8, true), code.getUint8(at * 8 + 2), code.getUint8(at * 8 + 3)];
    const value = code.getUint32(at * 8 + 4, true);
    if (op === 0x06) return value;
    if (op === 0x20) held = call.getUint32(value, true);
    else if (op === 0x15) at += held === value ? yes : no;
    else if (op === 0x35) at += held >= value ? yes : no;
    else if (op === 0x45) at += (held & value) !== 0 ? yes : no;
    else throw new Error(`unknown instruction ${op}`);
  }
}

describe.each(["x64", "arm64"] as const)("the filter of %s", (name) => {
  const [filter, numbers, machine] = [seccompFilter(name), NUMBERS[name], MACHINE[name]];
  const of = (number: number, ...args: number[]) => judge(filter, { number, machine, args });

  it("G15 lets ordinary calls through and refuses those that set up a kernel", () => {
    expect([of(numbers.read), of(numbers.kill), of(numbers.ioctl, 0, 0x5401)]).toEqual([CALLS, CALLS, CALLS]);
    for (const number of [numbers.mount, numbers.keyctl, numbers.io_uring_setup]) expect(of(number)).toBe(0x5_0001);
    expect(of(numbers.clone3)).toBe(0x5_0000 | 38);
  });

  it("G15 looks at arguments: user namespaces, and typing into a terminal", () => {
    expect([of(numbers.clone, 0x11), of(numbers.unshare, 0x400)]).toEqual([CALLS, CALLS]);
    expect([of(numbers.clone, 0x1000_0011), of(numbers.unshare, 0x1000_0000)]).toEqual([0x5_0001, 0x5_0001]);
    expect([of(numbers.ptrace, 16, 1), of(numbers.ptrace, 16, 2)]).toEqual([0x5_0001, CALLS]);
    // The upper half of a request means nothing to the kernel, so it cannot hide one.
    for (const request of [0x5412, 0x541c, 0x1_0000_5412]) expect(of(numbers.ioctl, 0, request)).toBe(0x5_0001);
  });

  it("G15 lets sockets be made of the families that a network namespace holds, and of no other", () => {
    const [socket, pair] = name === "x64" ? [41, 53] : [198, 199];
    for (let family = 0; family < 64; family++)
      for (const number of [socket, pair])
        expect([family, of(number, family, 1)]).toEqual([
          family,
          [1, 2, 10, 16].includes(family) ? CALLS : 0x5_0000 | 97,
        ]);
    expect(of(socket, 0x1_0000_0028, 1)).toBe(0x5_0000 | 97);
    const alone = seccompFilter(name, { mayConnect: false });
    expect(judge(alone, { number: socket, machine, args: [1, 1] })).toBe(0x5_0000 | 101);
    expect(judge(alone, { number: pair, machine, args: [1, 1] })).toBe(CALLS);
  });

  it("G15 refuses calls of another machine, and with other processes in sight what touches them", () => {
    expect(judge(filter, { number: numbers.read, machine: 0x4000_0003 })).toBe(0x5_0001);
    if (name === "x64") expect(of(0x4000_0000 + 1)).toBe(0x5_0001);
    const looking = seccompFilter(name, { mayTouch: false });
    expect(judge(looking, { number: numbers.kill, machine })).toBe(0x5_0001);
    expect(judge(looking, { number: numbers.read, machine })).toBe(CALLS);
  });
});

describe.skipIf(WITHOUT_SANDBOX || process.arch !== "x64")("a confined program", () => {
  it("G15 is really held by it", async () => {
    await using scratch = await createScratch();
    const calls = {
      keyctl: [250, 0, -3, 0],
      add_key: [248, 0, 0],
      io_uring: [425, 1, 0],
      bpf: [321, 0, 0, 0],
      userns: [272, 0x1000_0000],
    };
    const tiocsti = 'my $c = "x"; ioctl(STDIN, 0x5412, $c) or printf "tiocsti %d\\n", $!+0;';
    const script = Object.entries(calls).map(
      ([name, [number, ...args]]) => `syscall(${[number, ...args].join(", ")}) < 0 and printf "${name} %d\\n", $!+0;`,
    );
    const { output } = await scratch.run(
      `perl -e '${[...script, tiocsti].join(" ")}'; grep Seccomp: /proc/self/status`,
    );
    expect(output).toBe(
      `${Object.keys(calls)
        .map((name) => `${name} 1\n`)
        .join("")}tiocsti 1\nSeccomp:\t2\n`,
    );
  });
});
