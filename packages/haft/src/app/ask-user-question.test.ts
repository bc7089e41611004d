import type { ApprovalRequest } from "@haft/core/approval";
import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { sessionPlaces } from "../../test/support/session-places.ts";
import { canUseToolAsker } from "../index.ts";

const places = sessionPlaces("questions");
const question = "Which database should we use?";
const options = [{ label: "SQLite", description: "one file" }, { label: "Postgres" }];
const input = { questions: [{ question, header: "Database", options }] };

describe("AskUserQuestion", () => {
  it("P01 the person's choice, or their own words, returns to the model", async () => {
    const asked: ApprovalRequest[] = [];
    const answers: Record<string, unknown>[] = [{ [question]: "Postgres" }, { [question]: "DuckDB, please" }];
    const haft = await places.open({
      ...places.make().options,
      ask: async (request) => {
        asked.push(request);
        return { behavior: "allow", input: answers.shift() };
      },
    });
    expect(contentsText((await haft.call("AskUserQuestion", input)).content)).toBe(`${question}\nPostgres`);
    expect((await haft.call("ask_user", input)).output).toEqual({ answers: { [question]: "DuckDB, please" } });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({ tool: "AskUserQuestion", personOnly: true });
    expect(asked[0]?.form?.properties[question]).toEqual({
      ...{ type: "string", title: question, other: true },
      oneOf: [
        { const: "SQLite", title: "SQLite", description: "one file" },
        { const: "Postgres", title: "Postgres" },
      ],
    });
  });

  it("P01 several choices, and the answers as hosts of canUseTool give them", async () => {
    const haft = await places.open({
      ...places.make().options,
      ask: canUseToolAsker(async (_, given) => ({
        behavior: "allow",
        updatedInput: { ...given, answers: { [question]: ["SQLite", "Postgres"] } },
      })),
    });
    const many = { questions: [{ ...input.questions[0], multiSelect: true }] };
    expect((await haft.call("AskUserQuestion", many)).output).toEqual({ answers: { [question]: "SQLite, Postgres" } });
  });

  it("P01 nobody there, a no, a mode that asks nobody and a yes without answers are errors; no mode answers in their place", async () => {
    const { options: base } = places.make();
    const code = async (more: object) => {
      const haft = await places.open({ ...base, ...more });
      return (await haft.call("AskUserQuestion", input)).error?.code;
    };
    expect(await code({ mode: "bypassPermissions" })).toBe("needs_approval");
    expect(await code({ ask: async () => ({ behavior: "deny" }) })).toBe("denied_by_user");
    expect(await code({ mode: "bypassPermissions", ask: async () => ({ behavior: "allow" }) })).toBe(
      "execution_failed",
    );
    expect(await code({ mode: "dontAsk", ask: async () => ({ behavior: "allow" }) })).toBe("denied_by_mode");
  });

  it("P01 S10 it runs alone, and a subagent has no such tool", async () => {
    const haft = await places.open({ ...places.make().options, ask: async () => undefined });
    const { traits } = await haft.explain("AskUserQuestion", input);
    expect(traits).toMatchObject({ isReadOnly: false, isConcurrencySafe: false });
    const child = haft.with({ agent: { id: "a1", parent: "main" } });
    expect((await child.call("AskUserQuestion", input)).error?.code).toBe("tool_unavailable");
    const names = async (who: typeof haft) => (await who.offer()).tools.map(({ name }) => name);
    expect(await names(haft)).toContain("AskUserQuestion");
    expect(await names(child)).not.toContain("AskUserQuestion");
  });

  it.each([
    [{ questions: [] }],
    [{ questions: [{ question, options: [options[0]] }] }],
    [{ questions: [{ question, options: [options[0], options[0]] }] }],
    [{ questions: [input.questions[0], input.questions[0]] }],
  ])("P01 refuses %j before anybody is asked", async (bad) => {
    let asked = 0;
    const haft = await places.open({ ...places.make().options, ask: async () => void asked++ });
    expect((await haft.call("AskUserQuestion", bad)).error?.code).toMatch(/invalid_input|validation_failed/);
    expect(asked).toBe(0);
  });
});
