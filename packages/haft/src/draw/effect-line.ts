import { startedWithin } from "@haft/core/policy";
import type { Effect, RunEffect } from "@haft/core/tool";
import { shownPath } from "./place.ts";
import { oneLine } from "./sanitize.ts";
import { PLAIN, type Style } from "./style.ts";

/** An effect in words: `write /w/a.ts (modify)`, `run npm test`. */
export function effectLine(effect: Effect, style: Style = PLAIN): string {
  const text = oneLine(wordsOf(effect, style));
  return effect.basis === "claimed" ? `${text} [claimed]` : text;
}

function wordsOf(effect: Effect, style: Style): string {
  switch (effect.do) {
    case "read":
      return `read ${placeOf(effect, style)}`;
    case "write":
      return effect.change === "delete"
        ? `delete ${placeOf(effect, style)}`
        : `write ${placeOf(effect, style)} (${effect.change})`;
    case "run":
      return `run ${effect.text}${startedBy(effect)}`;
    case "connect":
      return `connect ${effect.host || effect.url}${effect.port === undefined ? "" : `:${effect.port}`}${effect.sends ? " (sends)" : ""}`;
    case "send":
      return `send ${effect.channel}${effect.to === undefined ? "" : ` to ${effect.to}`}`;
    case "call":
      return `call ${effect.tool} on ${effect.server}${effect.change ? "" : " (changes nothing)"}`;
    case "delegate":
      return `delegate to ${effect.agent}`;
    case "ask":
      return "ask the user";
    case "state":
      return `${effect.change ? "change" : "read"} ${effect.of}`;
    case "unknown":
      return `unknown: ${effect.why}`;
  }
}

function startedBy(run: RunEffect): string {
  const inner = startedWithin(run);
  return inner === undefined ? "" : ` (starts ${inner})`;
}

interface Place {
  readonly path: string;
  readonly as?: string;
  readonly tree?: boolean;
}

/** The real place, and the link by which it was named. */
function placeOf({ path, as, tree }: Place, style: Style): string {
  const shown = shownPath(style, path);
  const whole = tree ? `${shown === "/" ? "" : shown}/**` : shown;
  return as === undefined || as === path ? whole : `${whole} (named ${shownPath(style, as)})`;
}
