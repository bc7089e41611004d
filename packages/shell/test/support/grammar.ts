import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** A place in what the grammar of a whole language, by others, makes of a script. */
export interface SyntaxNode {
  readonly type: string;
  readonly text: string;
  readonly hasError: boolean;
  descendantsOfType(types: string | readonly string[]): readonly SyntaxNode[];
  childForFieldName(name: string): SyntaxNode | null;
}

/** Loads the grammar of a shell. */
export async function loadGrammar(language: "bash" | "powershell"): Promise<(script: string) => SyntaxNode> {
  const require = createRequire(import.meta.url);
  const { Parser, Language } = require("@vscode/tree-sitter-wasm");
  await Parser.init();
  const folder = dirname(require.resolve("@vscode/tree-sitter-wasm"));
  const parser = new Parser();
  parser.setLanguage(await Language.load(join(folder, `tree-sitter-${language}.wasm`)));
  return (script) => parser.parse(script).rootNode;
}
