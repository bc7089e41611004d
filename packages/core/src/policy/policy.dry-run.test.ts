import { describe, expect, it } from "vitest";
import { claimed, command, proved, rule, workspaceWith } from "../../test/support/policy-calls.ts";
import { call, connect, type Effect, read, send, unknown, write } from "../tool/index.ts";
import { createPolicy, type Mode, modes, type RuleSource } from "./index.ts";

const workspace = workspaceWith();

interface Asked {
  readonly mode?: Mode;
  readonly rules?: readonly RuleSource[];
  readonly isDryRun?: boolean;
}

/** `held`, `free`, `ask` or `deny`, as the call would be treated. */
function answer(effects: readonly Effect[], { mode = "default", rules = [], isDryRun = true }: Asked = {}): string {
  const policy = createPolicy({ workspace, mode, rules });
  const tool = { name: "Bash", origin: "builtin" };
  const { decision, grant } = policy.decide({ tool, input: {}, effects, ...(isDryRun ? { isDryRun: true } : {}) });
  return decision === "allow" ? (grant.hold ? "held" : "free") : decision;
}

const OPAQUE = command("python3 job.py", { opaque: true });

describe("L01 the decision about a dry run", () => {
  const rows: [string, Effect[], string][] = [
    ["a command of which nothing is known", [OPAQUE], "held"],
    ["a script that cannot be read", [unknown("cannot be read")], "held"],
    ["what a command writes in the workspace", [command("rm a"), proved(write("/ws/a", "delete"))], "held"],
    ["what a command writes elsewhere", [command("rm /x/a"), proved(write("/x/a", "delete"))], "ask"],
    ["what it reads elsewhere", [OPAQUE, read("/etc/passwd")], "ask"],
    ["what it reads in private", [OPAQUE, read("/ws/.env")], "ask"],
    ["a program that others work for", [command("docker ps", { opaque: true })], "ask"],
    ["a command that needs the network", [command("git push", { opaque: true })], "ask"],
    ["what goes on in the background", [command("sleep 5", { opaque: true, background: true })], "ask"],
    ["a connection", [OPAQUE, connect("example.com", { sends: false })], "ask"],
    ["what is sent", [send("mail")], "ask"],
    ["a remote tool", [call("server", "tool")], "ask"],
    ["what a tool only claims to run", [claimed(OPAQUE)], "ask"],
    ["what a tool claims not to know", [claimed(unknown("?"))], "ask"],
    ["a critical removal", [command("rm -rf /ws"), proved(write("/ws", "delete", { tree: true }))], "ask"],
  ];
  it.each(rows)("L01 %s", (_, effects, expected) => {
    expect(answer(effects)).toBe(expected);
  });

  it("L01 in every mode but the one that allows nothing by itself; without the dry run as ever", () => {
    const answers = modes.map((mode) => [
      mode,
      answer([OPAQUE], { mode }),
      answer([OPAQUE], { mode, isDryRun: false }),
    ]);
    expect(answers).toEqual([
      ["default", "held", "ask"],
      ["acceptEdits", "held", "ask"],
      ["plan", "held", "deny"],
      ["dontAsk", "deny", "deny"],
      ["undoable", "held", "held"],
      ["bypassPermissions", "held", "free"],
    ]);
  });

  it("L01 deny rules, ask rules and forbidden commands come first", () => {
    const at = { rules: [rule("deny", "Bash(python3:*)")] };
    expect(answer([OPAQUE], at)).toBe("deny");
    expect(answer([OPAQUE], { rules: [rule("ask", "Bash(python3:*)")] })).toBe("ask");
    expect(answer([OPAQUE], { rules: [rule("deny", "Bash")], mode: "bypassPermissions" })).toBe("deny");
    expect(answer([command("sudo ls", { opaque: true })], { mode: "bypassPermissions" })).toBe(
      answer([command("sudo ls", { opaque: true })], { mode: "bypassPermissions", isDryRun: false }),
    );
  });
});
