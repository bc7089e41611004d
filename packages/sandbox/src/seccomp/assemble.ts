/** One instruction of classic BPF, the kernel's filter language: code, two jumps, a value. */
export interface Instruction {
  readonly code: number;
  readonly ifTrue?: number;
  readonly ifFalse?: number;
  readonly value: number;
}

// Offsets in the filter's input for a system call. Arguments have 64 bits; the lower half comes first on both machines.
const NUMBER = 0;
const MACHINE = 4;
const argumentAt = (index: number): number => 16 + 8 * index;

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_LEAST = 0x35;
const JUMP_BITS = 0x45;
const RETURN = 0x06;

const load = (offset: number): Instruction => ({ code: LOAD, value: offset });
/** Continues if the comparison holds, else skips `over` instructions. */
const unless = (code: number, value: number, over: number): Instruction => ({ code, ifTrue: 0, ifFalse: over, value });

/** Lets a system call through. */
export const ALLOW: Instruction = { code: RETURN, value: 0x7fff_0000 };
/** Makes a system call fail with an error number, without effect. */
export const refuse = (errno: number): Instruction => ({ code: RETURN, value: 0x0005_0000 | errno });

/** Refuses all calls of another architecture, such as those of 32-bit programs, which have other numbers. */
export const onlyOn = (machine: number, otherwise: Instruction): Instruction[] => [
  load(MACHINE),
  { code: JUMP_EQUAL, ifTrue: 1, ifFalse: 0, value: machine },
  otherwise,
  load(NUMBER),
];

/** Calls from this number on. */
export const from = (number: number, then: Instruction): Instruction[] => [unless(JUMP_LEAST, number, 1), then];

/** This one call. */
export const on = (number: number, then: Instruction): Instruction[] => [unless(JUMP_EQUAL, number, 1), then];

/** This call, if an argument has one of the bits. */
export const onBits = (number: number, argument: number, bits: number, then: Instruction): Instruction[] => [
  unless(JUMP_EQUAL, number, 4),
  load(argumentAt(argument)),
  unless(JUMP_BITS, bits, 1),
  then,
  load(NUMBER),
];

/** This call, if an argument is this value. */
export const onValue = (number: number, argument: number, value: number, then: Instruction): Instruction[] => [
  unless(JUMP_EQUAL, number, 4),
  load(argumentAt(argument)),
  unless(JUMP_EQUAL, value, 1),
  then,
  load(NUMBER),
];

/** This call, if an argument is not one of these values. */
export const onOther = (
  number: number,
  argument: number,
  values: readonly number[],
  then: Instruction,
): Instruction[] => [
  unless(JUMP_EQUAL, number, values.length + 3),
  load(argumentAt(argument)),
  ...values.map((value, index) => ({ code: JUMP_EQUAL, ifTrue: values.length - index, ifFalse: 0, value })),
  then,
  load(NUMBER),
];

/** The program in the kernel's format: eight bytes an instruction. */
export function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, { code, ifTrue = 0, ifFalse = 0, value }] of program.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, ifTrue);
    bytes.setUint8(index * 8 + 3, ifFalse);
    bytes.setUint32(index * 8 + 4, value >>> 0, true);
  }
  return new Uint8Array(bytes.buffer);
}
