import { expect, it } from "vitest";
import { failure, type Result } from "../../tool/index.ts";
import { anthropicResult } from "./results.ts";

const PIXEL = "iVBORw0KGgo=";

it("H14 a result becomes a tool_result block: text, images, PDF, everything else as text", () => {
  const result: Result = {
    content: [
      { type: "text", text: "1\tconst a = 1" },
      { type: "image", data: PIXEL, mediaType: "image/png", path: "a.png" },
      { type: "image", data: PIXEL, mediaType: "image/tiff" },
      { type: "document", data: "JVBERi0=", mediaType: "application/pdf", name: "a.pdf" },
      { type: "audio", data: "AAAA", mediaType: "audio/wav" },
      { type: "resource", uri: "x://1", mediaType: "image/webp", blob: PIXEL },
      { type: "resource", uri: "x://2", text: "words" },
      { type: "json", value: { a: [1, 2] } },
      { type: "text", text: "" },
    ],
  };
  expect(anthropicResult("toolu_01", result)).toEqual({
    type: "tool_result",
    tool_use_id: "toolu_01",
    content: [
      { type: "text", text: "1\tconst a = 1" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
      { type: "text", text: "[image, image/tiff]" },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" }, title: "a.pdf" },
      { type: "text", text: "[audio, audio/wav]" },
      { type: "image", source: { type: "base64", media_type: "image/webp", data: PIXEL } },
      { type: "text", text: "words" },
      { type: "text", text: '{\n  "a": [\n    1,\n    2\n  ]\n}' },
    ],
  });
});

it("J10 a failure is a tool_result with is_error, with its message and its cure", () => {
  const denied = failure({ code: "denied_by_rule", message: "write(out/**) is not allowed.", hint: "Ask the user." });
  expect(anthropicResult("toolu_02", denied)).toEqual({
    type: "tool_result",
    tool_use_id: "toolu_02",
    content: [{ type: "text", text: "write(out/**) is not allowed.\nAsk the user." }],
    is_error: true,
  });
});

it("H14 a result without content says so, because an empty block is refused with is_error", () => {
  expect(anthropicResult("a", { content: [] }).content).toEqual([{ type: "text", text: "(no output)" }]);
});
