// Language servers that die, hang or write what is not a message.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { languagePlace } from "../../../test/support/language-place.ts";

it.each([
  ["die", {}, /execution_failed: The language server words ended with exit code 3\. Its last output: lost my mind/],
  ["hang", { timeoutMs: 5000 }, /timeout: The language server did not answer textDocument\/hover within [45][.\d]* s/],
  ["noise", {}, /execution_failed: The language server words cannot be understood/],
])(
  "names the cause when a server does %s, and starts it again with the next call",
  { tags: ["smoke"] },
  async (how, settings, message) => {
    await using at = await languagePlace(settings);
    const hover = () => at.lsp("hover", { line: 1, character: 5 });
    expect(await hover()).toBe("about one");
    writeFileSync(join(at.cwd, how), "");
    expect(await hover()).toMatch(message);
    expect(await hover()).toBe("about one");
    expect(at.starts()).toHaveLength(2);
  },
);
