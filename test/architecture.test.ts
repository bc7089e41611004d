// docs/architecture.md shows the house as it stands, and says something about every room.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { drawArchitecture, drawnArchitecture, roomImports } from "../scripts/architecture.ts";

test("the picture of the house is fresh (else: node scripts/architecture.ts)", () => {
  expect(drawnArchitecture()).toBe(drawArchitecture());
});

test("every room has its paragraph, and every paragraph its room", () => {
  const page = readFileSync("docs/architecture.md", "utf8");
  const described = [...page.matchAll(/^\*\*`([\w/-]+)`\*\*/gm)].map(([, room]) => room);
  expect(described.toSorted()).toEqual([...roomImports().keys()].toSorted());
});

test("the way of a call names the stages of the pipeline in their order", () => {
  const pipeline = readFileSync("packages/core/src/executor/pipeline.ts", "utf8");
  const list = (name: string) =>
    [...(new RegExp(`const ${name} = Steps([^;]*);`).exec(pipeline)?.[1] ?? "").matchAll(/\.add(?:All)?\((\w+)\)/g)]
      .map(([, word = ""]) => word)
      .flatMap((word): string[] => (word === "understand" ? list("understand") : [word]));
  const stages = [...list("perform"), ...list("finish")];
  const way = readFileSync("docs/architecture.md", "utf8").split("## The way of one call")[1] ?? "";
  const named = [...way.matchAll(/^\| `(\w+)` \|/gm)].map(([, stage]) => stage);
  expect(stages.length).toBeGreaterThan(15);
  expect(named).toEqual(stages);
});
