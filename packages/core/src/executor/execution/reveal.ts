import { showHidden } from "../../budget/hidden.ts";
import { type Content, contentText, text } from "../../tool/index.ts";
import type { EndedRun, Stage } from "../call-run.ts";

/**
 * Words errors in the names that the model knows, and makes hidden characters in a result visible, whatever produced them: text that a person cannot see must not
 * instruct the model.
 */
export const reveal: Stage<EndedRun> = (callRun) => {
  const { result, context, machine, spoken, call } = callRun;
  for (const [index, words] of context.entries()) context[index] = showHidden(words);
  const content = result.content.map(revealed);
  const dialect = machine.dialect?.();
  const error = result.error && dialect ? dialect.error(spoken ?? call.tool, result.error) : undefined;
  return !error && content.every((item, index) => item === result.content[index])
    ? undefined
    : { result: { ...result, content, ...(error ? { error } : {}) } };
};

function revealed(item: Content): Content {
  if (item.type !== "text" && item.type !== "json" && (item.type !== "resource" || item.text === undefined))
    return item;
  const plain = item.type === "resource" ? (item.text ?? "") : contentText(item);
  const shown = showHidden(plain);
  if (shown === plain) return item;
  return item.type === "json" ? text(shown) : { ...item, text: shown };
}
