import { HaftError } from "@haft/core/tool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChunkStep, Operation } from "./operation.ts";
import { parsePatch } from "./parse.ts";

const patch = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const refusal = (input: string): HaftError => {
  try {
    parsePatch(input);
  } catch (thrown) {
    if (HaftError.is(thrown)) return thrown;
  }
  throw new Error("the patch was not refused");
};

describe("a patch", () => {
  it("K07 is read with all its parts", () => {
    const input = patch(
      ...["*** Add File: a b.txt", "+one", "++two"],
      "*** Delete File: b",
      ...[
        "*** Update File: c",
        "*** Move to: d",
        "@@ class X",
        "@@   def f():",
        " keep",
        "",
        "-gone",
        "+come",
        "*** End of File",
        "@@",
        "+x",
      ],
    );
    expect(parsePatch(input)).toEqual([
      { kind: "add", path: "a b.txt", line: 2, text: "one\n+two\n" },
      { kind: "delete", path: "b", line: 5 },
      {
        kind: "update",
        path: "c",
        line: 6,
        to: "d",
        chunks: [
          {
            line: 8,
            headers: ["class X", "  def f():"],
            atEnd: true,
            steps: [
              { sign: " ", text: "keep" },
              { sign: " ", text: "", bare: true },
              { sign: "-", text: "gone" },
              { sign: "+", text: "come" },
            ],
          },
          { line: 15, headers: [], atEnd: false, steps: [{ sign: "+", text: "x" }] },
        ],
      },
    ]);
  });

  it.each([
    ["in a heredoc", `apply_patch <<'EOF'\n${patch("*** Add File: a", "+x")}\nEOF\n`],
    ["with padded markers", " *** Begin Patch \n  *** Add File: a\n+x\n *** End Patch "],
    ["with CRLF", patch("*** Add File: a", "+x").replaceAll("\n", "\r\n")],
    ["after empty lines", `\n\n${patch("*** Add File: a", "+x", "")}\n\n`],
  ])("K07 %s is the same patch", (_, input) => {
    expect(parsePatch(input)).toMatchObject([{ kind: "add", path: "a", text: "x\n" }]);
  });

  it("K07 line numbers of a unified diff are looked past", () => {
    const [operation] = parsePatch(patch("*** Update File: a", "@@ -1,2 +1,3 @@ def f():", "-x"));
    expect(operation).toMatchObject({ chunks: [{ headers: ["def f():"] }] });
  });

  it("K07 a marker that is indented within a change is a line of it", () => {
    const [operation] = parsePatch(patch("*** Update File: a", "@@", "-old", " *** Update File: b"));
    expect(operation).toMatchObject({ chunks: [{ steps: [{}, { sign: " ", text: "*** Update File: b" }] }] });
  });

  it.each([
    ["nothing", "  \n", 1, "is empty"],
    ["no beginning", "*** Add File: a\n+x\n*** End Patch", 1, "must begin with *** Begin Patch"],
    ["no end", "*** Begin Patch\n*** Add File: a\n+x", 3, "must end with *** End Patch"],
    ["text after the end", `${patch("*** Add File: a", "+x")}\nextra`, 5, "must end with"],
    ["no section", patch(), undefined, "names no file"],
    ["an unknown section", patch("*** Frobnicate File: a"), 2, "begins no file section"],
    ["a section without a path", patch("*** Add File:"), 2, "path is missing"],
    ["a new line without +", patch("*** Add File: a", "+x", "y"), 4, "has no +"],
    ["an update without changes", patch("*** Update File: a"), 2, "changes nothing"],
    ["a change without lines", patch("*** Update File: a", "@@"), 3, "has no lines"],
    ["an end of file alone", patch("*** Update File: a", "@@", "*** End of File"), 3, "has no lines"],
    ["two @@ in a row", patch("*** Update File: a", "@@", "@@", "-x"), 3, "has no lines"],
    ["a change that only names lines", patch("*** Update File: a", "@@ f", "@@ g"), 3, "has no lines"],
    ["a line without a sign", patch("*** Update File: a", "@@", "-x", "bad"), 5, "is not a line of a change"],
    ["text after a deletion", patch("*** Delete File: a", "bad"), 3, "begins no file section"],
  ])("K07 %s is refused with its line and the cure", (_, input, line, says) => {
    const error = refusal(input);
    expect(error).toMatchObject({ code: "patch_invalid", hint: expect.stringMatching(/\S/) });
    expect(error.message).toContain(says);
    if (line !== undefined) expect(error.message).toMatch(new RegExp(`^Line ${line} of the patch: `));
  });

  it("K07 a written patch is read back", () => {
    const text = fc.stringMatching(/^[a-z@*+ -]{0,12}$/);
    const path = fc.stringMatching(/^[a-z][a-z/. ]{0,8}[a-z]$/);
    const step = fc.record({ sign: fc.constantFrom(" " as const, "-" as const, "+" as const), text });
    const chunk = fc.record({ steps: fc.array(step, { minLength: 1 }), atEnd: fc.boolean() });
    const operation = fc.oneof(
      fc.record({ kind: fc.constant("add" as const), path, lines: fc.array(text) }),
      fc.record({ kind: fc.constant("delete" as const), path }),
      fc.record({
        kind: fc.constant("update" as const),
        path,
        to: fc.option(path),
        chunks: fc.array(chunk, { minLength: 1 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 4 }), (operations) => {
        const lines = operations.flatMap((each) => {
          if (each.kind === "add") return [`*** Add File: ${each.path}`, ...each.lines.map((line) => `+${line}`)];
          if (each.kind === "delete") return [`*** Delete File: ${each.path}`];
          return [
            `*** Update File: ${each.path}`,
            ...(each.to === null ? [] : [`*** Move to: ${each.to}`]),
            ...each.chunks.flatMap(({ steps, atEnd }) => [
              "@@",
              ...steps.map((one) => one.sign + one.text),
              ...(atEnd ? ["*** End of File"] : []),
            ]),
          ];
        });
        const read = parsePatch(patch(...lines)).map(withoutLines);
        expect(read).toEqual(
          operations.map((each) => {
            if (each.kind === "add")
              return { kind: "add", path: each.path, text: each.lines.map((line) => `${line}\n`).join("") };
            if (each.kind === "delete") return each;
            const { to, ...rest } = each;
            return to === null ? rest : { ...rest, to };
          }),
        );
      }),
    );
  });
});

function withoutLines(operation: Operation): object {
  const { line: _, ...rest } = operation;
  if (rest.kind !== "update") return rest;
  const chunks = rest.chunks.map(({ steps, atEnd }: { steps: readonly ChunkStep[]; atEnd: boolean }) => ({
    steps,
    atEnd,
  }));
  return { ...rest, chunks };
}
