import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import "../../../../test/support/seed.ts";
import { afterAll, describe, expect, it } from "vitest";
import { copyFile } from "./copy-file.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-copy-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a copy of a file with holes", () => {
  it("W01 has the same bytes and takes no more room", () => {
    let number = 0;
    const islands = fc.array(fc.tuple(fc.nat(3_000_000), fc.uint8Array({ minLength: 1, maxLength: 9000 })), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(islands, fc.nat(3_500_000), fc.boolean(), (written, size, over) => {
        const [source, target] = [join(folder, `s${++number}`), join(folder, `t${number}`)];
        const descriptor = openSync(source, "w");
        for (const [at, bytes] of written) writeSync(descriptor, bytes, 0, bytes.length, at);
        closeSync(descriptor);
        truncateSync(source, size);
        if (over) closeSync(openSync(target, "w"));
        copyFile(source, target, over);
        expect(readFileSync(target).equals(readFileSync(source))).toBe(true);
        // The file system may need a block for the list of pieces.
        expect(statSync(target).blocks * 512).toBeLessThanOrEqual(statSync(source).blocks * 512 + 8_192);
        rmSync(source);
        rmSync(target);
      }),
      { numRuns: 30 },
    );
  });
});
