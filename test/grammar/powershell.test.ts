import { describe, it } from "vitest";
import { holds, type Row } from "../support/explained.ts";

const run = (command: string) => `@PowerShell ${JSON.stringify({ command })}`;

/** The documented rules for PowerShell: as for Bash, without regard to case, and by every name of a cmdlet. */
describe("F29 PowerShell", () => {
  it.each<Row>([
    ["ask", run("Remove-Item x")],
    ["deny", run("Remove-Item x"), ["-PowerShell(Remove-Item *)"]],
    ["deny", run("REMOVE-ITEM x"), ["-PowerShell(remove-item *)"]],
    ["deny", run("ri x"), ["-PowerShell(Remove-Item *)"]],
    ["deny", run("ls; rm x"), ["-PowerShell(Remove-Item *)"]],
    ["deny", run("gci | Remove-Item"), ["-PowerShell(Remove-Item *)"]],
    ["deny", run("Get-ChildItem"), ["-PowerShell(gci *)"]],
    ["deny", run("dir src"), ["-PowerShell(ls *)"]],
    ["ask", run("Get-ChildItem"), ["?PowerShell(dir *)"]],
    ["ask", run("npm test; npm publish"), ["+PowerShell(npm test)"]],
    ["allow", run("npm test"), ["+PowerShell(npm test)"]],
    ["allow", run("NPM test --x"), ["+PowerShell(npm test *)"]],
    ["allow", run("npm test"), ["+PowerShell"]],
    ["ask", run("npm test"), ["+Bash(npm test)"]],
    ["deny", run("npm test"), ["-PowerShell"]],
  ])("F29 %s: %s with %j %j", holds);
});
