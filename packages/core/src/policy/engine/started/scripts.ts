import { basename, type Effect, type RunEffect } from "../../../tool/index.ts";
import { isOpenWord } from "./open-words.ts";

/** Whether an opaque command is composed at run time. Other commands show what they are. */
export function isOpen(effect: Effect): boolean {
  if (effect.do !== "run" || effect.opaque !== true) return false;
  const [program = "", ...words] = effect.argv;
  return (
    /[$`*?[]/.test(program) || (/^(?:eval|trap|source|\.)$/.test(program) && words.some((word) => /[$`]/.test(word)))
  );
}

/** A command before a shell may produce what the shell reads. A lone shell reads input that is judged as it is typed, or none. */
export const feeds = (effect: Effect): boolean => effect.do === "read" || (effect.do === "run" && !readsScript(effect));

/** A shell whose words contain no script reads one from a pipe or a file. */
export const readsScript = ({ argv: [program = "", ...words] }: RunEffect): boolean =>
  SHELL.test(basename(program)) && words.every((word) => /^[-+]/.test(word));

/** A script that nobody sees before it runs. */
export const takesUnseenScript = (effect: RunEffect): boolean => takesOpenScript(effect) || takesStream(effect);

/** A shell whose script is composed at run time: `sh -c "$X"`. */
function takesOpenScript({ argv: [program = "", ...words] }: RunEffect): boolean {
  const script = words[words.findIndex((word) => /^-\w*c$/.test(word)) + 1];
  return SHELL.test(basename(program)) && words[0]?.startsWith("-") === true && isOpenWord(script ?? "");
}

/** `source <(x)`, `. /dev/stdin`: a script that is not in any file. */
const takesStream = ({ argv: [program = "", ...words] }: RunEffect): boolean =>
  (SHELL.test(basename(program)) || /^(?:source|\.)$/.test(program)) &&
  words.some((word) => /^(?:\/dev\/(?:fd\/|stdin$)|\/proc\/\w+\/fd\/|<\()/.test(word));

const SHELL = /^(?:ba|da|a|z|k|mk|fi|tc|c)?sh$/;
