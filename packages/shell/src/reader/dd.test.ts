import { describe, expect, it } from "vitest";
import { classifyCommand } from "../index.ts";

describe("dd", () => {
  it.each([
    "dd if=a.bin bs=1 skip=16 count=4 2>/dev/null | xxd",
    "dd bs=512 count=1 < a.bin",
    "dd if=a.bin status=none iflag=skip_bytes,count_bytes conv=swab",
  ])("G01 %s prints a piece of a file", (command) => {
    expect(classifyCommand(command)).toBe("allow");
  });

  it.each([
    "dd if=a.bin of=b.bin",
    "dd if=a.bin bs=4 of=",
    "dd of=b.bin < a.bin",
    "dd if=a.bin oflag=append",
    "dd if=a.bin conv=notrunc",
    "dd if=a.bin seek=4",
    "dd if=a.bin $X",
    'dd if=a.bin "$X"',
    "dd if=a.bin *",
    'dd "if=$X"',
    "dd if=- of=x",
    "dd if=a.bin > b.bin",
    "find . -exec dd if={} of=x \\;",
    "ls | xargs dd if=a.bin",
  ])("G03 %s is asked about", (command) => {
    expect(classifyCommand(command)).toBe("ask");
  });
});
