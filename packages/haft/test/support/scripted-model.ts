import type { Model, ModelEvent, ModelRequest } from "../../src/agent/model.ts";

/** A model that says what it is told to, and remembers what it was asked. */
export interface ScriptedModel extends Model {
  readonly requests: ModelRequest[];
}

export type ScriptStep = ModelEvent | (() => Promise<unknown>);

export function scriptedModel(turns: readonly (readonly ScriptStep[])[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    name: "test/scripted",
    requests,
    async *step(request) {
      const steps = turns[requests.push(request) - 1] ?? says("Nothing more to say.");
      for (const step of steps) {
        if (typeof step === "function") await step();
        else yield step;
      }
    },
  };
}

export const calls = (id: string, tool: string, input: unknown): ModelEvent => ({
  type: "part",
  key: `call:${id}`,
  part: { type: "tool-call", id, tool, input },
});

export const finish = (reason: "stop" | "calls" | "length" = "calls"): ModelEvent => ({ type: "finish", reason });

export const says = (text: string): ModelEvent[] => [
  { type: "delta", key: "t", of: "text", text },
  { type: "part", key: "t", part: { type: "text", text } },
  finish("stop"),
];
