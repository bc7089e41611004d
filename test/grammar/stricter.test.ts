import { describe, it } from "vitest";
import { holds, type Row } from "../support/explained.ts";

/** Where Haft is stricter than the documents on purpose: the table of docs/policy.md, row by row. */
describe("F29 stricter than documented", () => {
  it.each<Row>([
    ["deny", "@Edit src/a", ["-Write(src/**)"]],
    ["deny", "@Read src/a", ["-Grep(src/**)"]],
    ["deny", "@NotebookEdit a.ipynb", ["-Read(a.ipynb)"]],
    ["deny", "egrep x secret", ["-Read(secret)"]],
    ["deny", "echo x | tee src/a", ["-Edit(src/**)"]],
    ["deny", "env rm x", ["-Bash(rm *)"]],
    ["deny", "ls | xargs -n1 rm", ["-Bash(rm *)"]],
    ["deny", "bash -c 'rm x'", ["-Bash(rm *)"]],
    ["ask", "@Write b.ts", ["+Edit"]],
    ["deny", "npm test", ["+Bash(npm test)"], { mode: "plan" }],
    ["ask", "@Read .env", []],
    ["ask", "ls", ["?Bash"], { sandbox: { enabled: true, autoAllowBashIfSandboxed: true } }],
    ["deny", "npm test", ["-run_shell_command"]],
    ["ask", "echo x | tee a", [], { mode: "acceptEdits" }],
  ])("F29 %s: %s with %j %j", holds);
});
