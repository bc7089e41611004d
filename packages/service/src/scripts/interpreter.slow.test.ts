import { afterEach, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { createInterpreter, type Interpreter, SCRIPT_LIMITS } from "./interpreter.ts";

const opened: Interpreter[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

function run(code: string, limits: Partial<typeof SCRIPT_LIMITS> = {}) {
  const interpreter = createInterpreter({ ...SCRIPT_LIMITS, ...limits });
  opened.push(interpreter);
  const script = { code, now: 0, seed: 1, signal: new AbortController().signal };
  return interpreter.run({ ...script, call: async () => ({ value: "said" }) });
}

it("L06 ends a script that computes for too long", { tags: ["smoke"] }, async () => {
  expect((await run("for (;;) {}", { cpuMs: 200 })).error?.message).toMatch(/interrupted/);
});

// The loops end by the interpreter itself, or by the thread that watches it.
it.each([
  ["an endless loop after a call", "await tools.Say({}); for (;;) {}"],
  ["a flood of promises", "const again = () => Promise.resolve().then(again); again(); await new Promise(() => {});"],
  ["a flood of promises that nobody awaits", "(async () => { for (;;) await 0; })(); 1"],
  ["a loop that catches its end", "for (;;) { try { for (;;) {} } catch {} }"],
  ["a pattern that goes back for ever", "/^(a+)+$/.test('a'.repeat(50) + 'b')"],
  ["a promise that never comes", "await new Promise(() => {})"],
])("L06 ends %s", { timeout: patience(20_000) }, async (_, code) => {
  const ended = run(code, { cpuMs: 300 }).then(
    ({ error, value }) => error?.message ?? `value ${value}`,
    (thrown: Error) => thrown.message,
  );
  expect(await ended).toMatch(/^value 1$|interrupted|computed for more than/);
});

it.each([
  ["text", "let text = 'x'; for (;;) text += text"],
  ["objects", "const all = []; for (;;) all.push({ all })"],
  ["an array of a given length", "new Array(2 ** 31).fill(0)"],
  ["promises", "const all = []; for (;;) all.push(new Promise(() => {}))"],
])("L06 a memory bomb of %s is refused, and stops nothing else", { timeout: patience(20_000) }, async (_, code) => {
  const ended = run(code).then(
    ({ error }) => `${error?.name} ${error?.message}`,
    (thrown: Error) => thrown.message,
  );
  expect(await ended).toMatch(/memory|too long|out of range|invalid/i);
  expect(await run("1 + 1")).toMatchObject({ value: "2" });
});

it.each([
  ["calls", "const deep = () => deep() + 1; deep()"],
  ["async calls", "const deep = async () => (await deep()) + 1; await deep()"],
  ["data", "let deep = []; for (let at = 0; at < 1e5; at++) deep = [deep]; JSON.stringify(deep)"],
  ["a getter", "const one = { get one() { return this.one; } }; one.one"],
])("L06 recursion without an end is an error of the script: %s", { timeout: patience(20_000) }, async (_, code) => {
  const ended = await run(code).then(
    ({ error }) => `${error?.name} ${error?.message}`,
    (thrown: Error) => thrown.message,
  );
  expect(ended).toMatch(/stack|recurs|memory/i);
});
