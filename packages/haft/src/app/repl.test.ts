import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { createHaft } from "./create-haft.ts";
import type { Haft, HaftOptions } from "./haft.ts";

let cwd: string;
let haft: Haft;
const asked: string[] = [];
const open = (options: HaftOptions = {}) =>
  createHaft({
    cwd,
    stateDir: join(cwd, "state"),
    settings: { gates: { repl: true } },
    rules: { allow: ["Read", "Write(./free/**)"] },
    ask: async ({ tool }) => {
      asked.push(tool);
      return { behavior: tool === "Write" ? "allow" : "deny", message: "not now" };
    },
    ...options,
  });
let count = 0;
async function repl(code: string, more: object = {}, on: Haft = haft) {
  const [outcome] = await on.run([{ id: `r${++count}`, tool: "REPL", input: { code, ...more } }]);
  const { content, error } = outcome!.result;
  return { outcome: outcome!, error, text: content.map((part) => ("text" in part ? part.text : "")).join("") };
}

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "haft-repl-"));
  writeFileSync(join(cwd, "a.txt"), "alpha\n");
  writeFileSync(join(cwd, "b.txt"), "beta\n");
  haft = await open();
});
afterAll(async () => {
  await haft[Symbol.asyncDispose]();
  rmSync(cwd, { recursive: true, force: true });
});

describe("L06 REPL", () => {
  it("L06 is off without its gate", async () => {
    await using plain = await open({ settings: {} });
    expect((await plain.offer()).tools.map(({ name }) => name)).not.toContain("REPL");
    expect((await repl("1", {}, plain)).error?.message).toContain("gates.repl");
  });

  it("L06 keeps variables between scripts, awaits, prints, and gives the last value", async () => {
    expect((await repl("let a = 20; console.log('set', { a }); a + 1")).text).toBe('set {\n  "a": 20\n}\n=> 21');
    expect((await repl("a += await Promise.resolve(1); a * 2")).text).toBe("=> 42");
    expect((await repl("let a = 1")).error?.hint).toContain("without let");
    expect((await repl("typeof a", { reset: true })).text).toBe("=> undefined");
  });

  it("L06 calls tools through the whole pipeline: reads run, writes ask, and a refusal is an exception", async () => {
    asked.length = 0;
    const { text } = await repl(`
      const texts = await Promise.all(["a.txt", "b.txt"].map((file_path) => tools.Read({ file_path })));
      console.log(texts.map((one) => one.includes("alpha")).join());
      await tools.Write({ file_path: "made.txt", content: "made" });
      try { await tools.Bash({ command: "touch x" }); } catch (error) { console.log(error.name); }
      try { await tools.Nothing({}); } catch (error) { console.log(error.name); }
      try { await tools.Read({}); } catch (error) { console.log(error.name); }
    `);
    expect(text.split("\n")).toEqual(["true,false", "denied_by_user", "unknown_tool", "invalid_input"]);
    expect(asked).toEqual(["Write", "Bash"]);
    expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("made");
  });

  it("L06 W01 undo of the script is undo of its calls", async () => {
    const { outcome } = await repl(`
      for (const name of ["one", "two"]) await tools.Write({ file_path: "free/" + name + ".txt", content: name });
    `);
    expect(outcome.status).toBe("ok");
    await haft.undo(outcome.call.id);
    expect(() => readFileSync(join(cwd, "free/one.txt"))).toThrow("ENOENT");
    expect(() => readFileSync(join(cwd, "free/two.txt"))).toThrow("ENOENT");
  });

  it("L06 an interpreter that was started ahead serves one agent, and ends with the session", async () => {
    await using own = await open({ stateDir: join(cwd, "ahead") });
    own.prepare();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await repl("let mine = 1; mine", {}, own)).text).toBe("=> 1");
    const other = own.with({ agent: { id: "a1", parent: "main", path: ["a1"] } });
    expect((await repl("typeof mine", {}, other)).text).toBe("=> undefined");
  });

  it("L06 the typed functions of the offered tools stand in the prompt, and follow the offer", async () => {
    const api = async () => (await haft.offer()).prompt.find((text) => text.includes("Functions of `tools`")) ?? "";
    expect(await api()).toContain("\nRead({ file_path: string, offset?: number");
    expect(await api()).toContain("\nGlob({ pattern: string");
    expect(await api()).not.toContain("REPL(");
    haft.setTools({ tools: { Glob: { enabled: false } } });
    expect(await api()).not.toContain("Glob(");
    haft.setTools({ tools: { Glob: { enabled: true } } });
    expect((await repl("typeof (await tools.Glob({ pattern: '*.txt' }))")).text).toBe("=> string");
  });

  it("L06 a script that waits for a person outlives its host: the answer comes later, and it goes on", async () => {
    const options: HaftOptions = {
      stateDir: join(cwd, "parked"),
      session: "parked",
      ask: "host",
      rules: { allow: ["Edit(/free/**)"] },
    };
    const code = `
      const done = [await tools.Write({ file_path: "free/one.txt", content: "1" })];
      try { await tools.Write({ file_path: "asked.txt", content: "2" }); done.push("two"); } catch (error) { done.push(error.name); }
      done.length + " " + done[1]`;
    const first = await open(options);
    const parked = repl(code, {}, first);
    await expect.poll(() => first.pending().length, { timeout: patience(5_000) }).toBe(1);
    const { id } = first.pending()[0]!;
    await first[Symbol.asyncDispose]();
    expect((await parked).error).toBeDefined();
    rmSync(join(cwd, "free/one.txt"));

    await using second = await open(options);
    expect(second.answer(id, { behavior: "allow" })).toEqual({ accepted: true });
    expect((await repl(code, {}, second)).error?.message).toContain("interrupted after 1 answered calls");
    const resumed = await repl("", { resume: true }, second);
    expect(resumed.text).toBe("=> 2 two\n[1 of 2 results come from the interrupted run]");
    expect(readFileSync(join(cwd, "asked.txt"), "utf8")).toBe("2");
    // Not written a second time.
    expect(existsSync(join(cwd, "free/one.txt"))).toBe(false);
  });

  it("L06 a script reaches nothing but tools", async () => {
    const names = "process require fetch WebSocket setTimeout module Worker navigator";
    const { text } = await repl(`${JSON.stringify(names)}.split(" ").filter((name) => name in globalThis).join()`);
    expect(text).toBe("=> ");
    for (const made of [
      "Function",
      "console.log.constructor",
      "tools.Read.constructor",
      "(async () => {}).constructor",
    ])
      expect((await repl(`await ${made}("return typeof process + typeof require")()`)).text).toBe(
        "=> undefinedundefined",
      );
    expect((await repl("await import('node:fs').then(() => 'in', () => 'out')")).text).toBe("=> out");
  });

  it("L06 an error names its line; bombs are ended, and the next script begins anew", async () => {
    expect((await repl("\n\nnull.x")).error?.message).toMatch(/TypeError: .* \(line 3\)/);
    const bomb = await repl("let text = 'x'; for (;;) text += text.toUpperCase()");
    expect(bomb.error?.message).toMatch(/memory/);
    const flood = await repl(
      "for (let i = 0; i < 500; i++) tools.Read({ file_path: 'a.txt' }).catch(() => {}); 'made'",
    );
    expect(flood.text).toBe("=> made");
    const wide = await repl("console.log('x'.repeat(1e6))");
    expect(wide.text.length).toBeLessThan(200_000);
    expect((await repl("1 + 1")).text).toBe("=> 2");
  });
});
