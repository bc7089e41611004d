import { ALLOW, assemble, from, type Instruction, on, onBits, onlyOn, onOther, onValue, refuse } from "./assemble.ts";

/** The architectures with known system call numbers. */
export type Machine = "x64" | "arm64";

const EPERM = 1;
const ENOSYS = 38;
const ENETUNREACH = 101;
const EAFNOSUPPORT = 97;

/** The kernel's ids of the architectures. */
const IDENTITY: Readonly<Record<Machine, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** From this number on, x64 repeats the same calls (x32). */
const X32 = 0x4000_0000;

type Numbers = Readonly<Record<string, readonly [x64: number, arm64: number]>>;

/** Calls that no ordinary program needs: they configure the kernel, read keys or take down a fence. */
const REFUSED: Numbers = {
  ...{ mount: [165, 40], umount2: [166, 39], pivot_root: [155, 41], chroot: [161, 51], setns: [308, 268] },
  ...{ open_tree: [428, 428], move_mount: [429, 429], fsopen: [430, 430], fsconfig: [431, 431], fsmount: [432, 432] },
  ...{ fspick: [433, 433], mount_setattr: [442, 442], open_by_handle_at: [304, 265] },
  ...{ add_key: [248, 217], request_key: [249, 218], keyctl: [250, 219] },
  ...{ bpf: [321, 280], perf_event_open: [298, 241], userfaultfd: [323, 282], kcmp: [312, 272] },
  pidfd_getfd: [438, 438],
  ...{ io_uring_setup: [425, 425], io_uring_enter: [426, 426], io_uring_register: [427, 427] },
  ...{ init_module: [175, 105], finit_module: [313, 273], delete_module: [176, 106] },
  ...{ kexec_load: [246, 104], kexec_file_load: [320, 294], reboot: [169, 142], acct: [163, 89] },
  ...{ swapon: [167, 224], swapoff: [168, 225], quotactl: [179, 60], quotactl_fd: [443, 443] },
  ...{ settimeofday: [164, 170], vhangup: [153, 58], lookup_dcookie: [212, 18] },
};

/**
 * Calls that inspect or control a process, with the argument that names it. They must not reach the first process inside,
 * which reports how the command ended.
 */
const STEERING: Readonly<Record<string, { readonly number: readonly [number, number]; readonly argument: number }>> = {
  ptrace: { number: [101, 117], argument: 1 },
  process_vm_readv: { number: [310, 270], argument: 0 },
  process_vm_writev: { number: [311, 271], argument: 0 },
};
const FIRST = 1;

/** Also refused while other processes of the machine are visible: calls that would touch them. */
const TOUCHING: Numbers = {
  ...{ kill: [62, 129], tkill: [200, 130], tgkill: [234, 131], pidfd_send_signal: [424, 424], connect: [42, 203] },
  ...{ ptrace: [101, 117], process_vm_readv: [310, 270], process_vm_writev: [311, 271] },
};

const SOCKET: readonly [number, number] = [41, 198];
const CONNECT: readonly [number, number] = [42, 203];
const SOCKETPAIR: readonly [number, number] = [53, 199];
/** A socket type that may send to any address, even as half of a pair. Stream pairs reach only their other half. */
const DATAGRAM = 0x2;

/**
 * The socket families that a network namespace confines: UNIX, INET, INET6 and NETLINK. Others reach past it, to the host of a
 * virtual machine (VSOCK) or to nearby devices, or only expose more of the kernel.
 */
const FAMILIES: readonly number[] = [1, 2, 10, 16];

const CLONE: readonly [number, number] = [56, 220];
const CLONE3 = 435;
const UNSHARE: readonly [number, number] = [272, 97];
const IOCTL: readonly [number, number] = [16, 29];
/** The flag for a new user namespace, in which a program would have all capabilities. */
const NEWUSER = 0x1000_0000;
/** Requests that inject input into a terminal: TIOCSTI and TIOCLINUX. */
const TYPING: readonly number[] = [0x5412, 0x541c];

/** Further permissions of a program. Both default to `true`. */
export interface FilterOptions {
  /** `false`: it sees processes of the machine, and must not touch them. */
  readonly mayTouch?: boolean;
  /** `false`: it cannot create sockets, so it reaches nobody in any network. */
  readonly mayConnect?: boolean;
}

/** The system call filter of a confined program, as bytes for the kernel. */
export function seccompFilter(
  machine: Machine,
  { mayTouch = true, mayConnect = true }: FilterOptions = {},
): Uint8Array {
  const own = ([x64, arm64]: readonly [number, number]): number => (machine === "x64" ? x64 : arm64);
  const no = refuse(EPERM);
  const alone = refuse(ENETUNREACH);
  const refused = Object.values(mayTouch ? REFUSED : { ...REFUSED, ...TOUCHING });
  const program: Instruction[] = [
    ...onlyOn(IDENTITY[machine], no),
    ...(machine === "x64" ? from(X32, no) : []),
    ...refused.flatMap((numbers) => on(own(numbers), no)),
    ...(mayConnect ? [] : [...on(own(SOCKET), alone), ...on(own(CONNECT), alone)]),
    ...(mayConnect ? [] : onBits(own(SOCKETPAIR), 1, DATAGRAM, alone)),
    ...[SOCKET, SOCKETPAIR].flatMap((numbers) => onOther(own(numbers), 0, FAMILIES, refuse(EAFNOSUPPORT))),
    // A filter cannot read its flags, which are in memory. Programs fall back to `clone`.
    ...on(CLONE3, refuse(ENOSYS)),
    ...onBits(own(CLONE), 0, NEWUSER, no),
    ...onBits(own(UNSHARE), 0, NEWUSER, no),
    ...Object.values(STEERING).flatMap(({ number, argument }) => onValue(own(number), argument, FIRST, no)),
    ...TYPING.flatMap((request) => onValue(own(IOCTL), 1, request, no)),
    ALLOW,
  ];
  return assemble(program);
}
