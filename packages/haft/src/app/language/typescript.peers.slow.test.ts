// The real typescript-language-server of test/peers.
import { createRequire } from "node:module";
import { contentsText } from "@haft/core/tool";
import { expect, it } from "vitest";
import { mcpWorkspace, USER_SETTINGS } from "../../../test/support/mcp-workspace.ts";

const { resolve } = createRequire(import.meta.url);
const program = resolve("typescript-language-server/lib/cli.mjs");
const tsserver = resolve("../../../../../test/peers/node_modules/typescript-6/lib/tsserver.js");

const FILES = {
  "work/tsconfig.json": '{"compilerOptions": {"strict": true, "module": "nodenext"}, "include": ["*.ts"]}',
  "work/shape.ts": [
    "export interface Shape { area(): number }",
    "export class Square implements Shape {",
    "  constructor(private readonly side: number) {}",
    "  area(): number { return this.side ** 2 }",
    "}",
    "",
  ].join("\n"),
  "work/main.ts": [
    'import { type Shape, Square } from "./shape.js";',
    "export const total = (shapes: Shape[]): number => shapes.reduce((sum, one) => sum + one.area(), 0);",
    "export const run = (): number => total([new Square(2)]);",
    "",
  ].join("\n"),
};

it.each([
  ["directly", {}],
  ["in the sandbox", { sandbox: true }],
])(
  "answers every operation about a TypeScript project, started %s",
  async (_, more) => {
    using workspace = mcpWorkspace({
      ...FILES,
      [USER_SETTINGS]: {
        lsp: {
          typescript: {
            command: process.execPath,
            args: [program, "--stdio"],
            initializationOptions: { tsserver: { path: tsserver } },
            ...more,
          },
        },
      },
    });
    await using haft = await workspace.open({ mode: "acceptEdits" });
    const call = async (name: string, input: object) => {
      const { error, content } = await haft.call(name, input);
      return error ? `${error.code}: ${error.message}` : contentsText(content);
    };
    const lsp = (operation: string, filePath: string, line = 1, character = 1, rest: object = {}) =>
      call("LSP", { operation, filePath, line, character, ...rest });

    expect(await lsp("goToDefinition", "main.ts", 3, 46)).toMatch(/^shape\.ts:2:14 .*class Square/);
    expect(await lsp("findReferences", "shape.ts", 1, 18)).toMatch(/main\.ts:1:15[\s\S]*main\.ts:2:31/);
    expect(await lsp("hover", "main.ts", 3, 14)).toContain("const run: () => number");
    expect(await lsp("documentSymbol", "shape.ts")).toMatch(/class Square[\s\S]*method area/);
    expect(await lsp("workspaceSymbol", "main.ts", 1, 1, { query: "Square" })).toMatch(/shape\.ts:\d+:\d+ .*Square/);
    expect(await lsp("goToImplementation", "shape.ts", 1, 18)).toMatch(/shape\.ts:2:14/);
    expect(await lsp("prepareCallHierarchy", "main.ts", 2, 14)).toMatch(/main\.ts:2:14 .*total/);
    expect(await lsp("incomingCalls", "main.ts", 2, 14)).toMatch(/run/);
    expect(await lsp("outgoingCalls", "main.ts", 3, 14)).toMatch(/total/);
    expect(await lsp("diagnostics", "main.ts")).toMatch(/finds no problems/);

    await call("Read", { file_path: "main.ts" });
    const edited = await call("Edit", {
      file_path: "main.ts",
      old_string: "new Square(2)",
      new_string: 'new Square("2")',
    });
    expect(edited).toMatch(/typescript finds an error in main\.ts:\n {2}3:52 Argument of type 'string'/);
    const mended = await call("Edit", { file_path: "main.ts", old_string: '"2"', new_string: "2" });
    expect(mended).not.toContain("finds");
  },
  120_000,
);
