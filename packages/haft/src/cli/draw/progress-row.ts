import type { CallEvent } from "@haft/core/executor";
import { drawDisplay, indent } from "./display.ts";
import { type DrawnBefore, drawEvent, type EndEvent } from "./event-row.ts";
import { LiveOutput } from "./live-output.ts";
import { drawResult } from "./outcome.ts";
import { oneLine } from "./sanitize.ts";
import { paint, type Style, wrapped } from "./style.ts";

/** Milliseconds between two rows of one call: lines are only ever appended, and a chatty server must not push all else away. */
const PAUSE_MS = 1_000;

/** Milliseconds after which a call that still runs is shown with what it says. A shorter one is shown once, at its end. */
const LIVE_AFTER_MS = 700;

/** Time, as the rows know it. */
export interface RowClock {
  now(): number;
  /** Does something later; the function that comes back calls it off. */
  after(ms: number, work: () => void): () => void;
}

const realClock: RowClock = {
  now: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface RowOptions {
  readonly style: Style;
  /** Gets each row, without the line break at its end. */
  readonly print: (row: string) => void;
  /** Questions stand in the same terminal: a diff that was asked about is not shown again. */
  readonly showsQuestions?: boolean;
  /** A result is shown as it is, not in a few lines: a person has called the tool. */
  readonly wholeResults?: boolean;
  readonly clock?: RowClock;
}

interface Running {
  readonly activity: string;
  readonly output: LiveOutput;
  readonly callOff: () => void;
  isAnnounced: boolean;
  isLive: boolean;
}

/** Draws events one after the other, the output of what runs for long as it comes, and how far a call has got. */
export function eventRows({
  style,
  print,
  showsQuestions = false,
  wholeResults = false,
  clock = realClock,
}: RowOptions) {
  const told = new Map<string, { readonly at: number; readonly row: string }>();
  const running = new Map<string, Running>();
  const asked = new Map<string, string>();
  /** The call whose output stands last: that of another begins with its name. */
  let speaker: string | undefined;

  const row = (text: string | undefined, of?: string): void => {
    if (text === undefined || text === "") return;
    speaker = of;
    print(text);
  };

  function start(event: Extract<CallEvent, { type: "tool:execution:start" }>): void {
    const { id } = event.call;
    const drawn = drawEvent(event, style);
    row(drawn && wrapped(drawn, style.width), id);
    running.set(id, {
      activity: event.activity,
      output: new LiveOutput(style),
      callOff: clock.after(LIVE_AFTER_MS, () => goLive(id)),
      isAnnounced: drawn !== undefined,
      isLive: false,
    });
  }

  function goLive(id: string): void {
    const call = running.get(id);
    if (!call) return;
    call.isLive = true;
    if (!call.isAnnounced) announce(id, call);
    speak(id, call);
  }

  function announce(id: string, call: Running): void {
    row(wrapped(paint(style, "dim", `… ${oneLine(call.activity)}`), style.width), id);
    call.isAnnounced = true;
  }

  function speak(id: string, call: Running): void {
    const lines = call.output.take(clock.now());
    if (lines === undefined) return;
    if (speaker !== id) announce(id, call);
    row(lines, id);
  }

  function progress({ call: { id }, progress }: Extract<CallEvent, { type: "tool:execution:progress" }>): void {
    const call = running.get(id);
    if (call && progress.output) {
      call.output.add(progress.output);
      if (call.isLive) speak(id, call);
    }
    const { display } = progress;
    if (display?.kind !== "progress") return;
    const drawn = wrapped(paint(style, "dim", indent(drawDisplay(display, style))), style.width);
    const before = told.get(id);
    const at = clock.now();
    if (before && (before.row === drawn || at - before.at < PAUSE_MS)) return;
    told.set(id, { at, row: drawn });
    row(drawn);
  }

  function end(event: EndEvent): void {
    const { id } = event.call;
    const call = running.get(id);
    call?.callOff();
    running.delete(id);
    told.delete(id);
    const before = drawnBefore(event, call);
    asked.delete(id);
    if (wholeResults && !before && event.type === "tool:execution:complete")
      return row(drawResult(event.outcome.result, style));
    const drawn = drawEvent(event, style, before);
    row(drawn && wrapped(drawn, style.width));
  }

  function drawnBefore(event: EndEvent, call: Running | undefined): DrawnBefore {
    const { content } = event;
    const { id } = event.call;
    if (content.kind === "diff" && asked.get(id) === content.unified) return "diff";
    if (content.kind !== "terminal" || !call?.output.hasDrawn) return undefined;
    const rest = call.output.rest(content.text);
    if (rest !== undefined && speaker !== id) announce(id, call);
    row(rest, id);
    return "output";
  }

  return (event: CallEvent): void => {
    switch (event.type) {
      case "tool:execution:start":
        return start(event);
      case "tool:execution:progress":
        return progress(event);
      case "tool:execution:complete":
      case "tool:execution:error":
        return end(event);
      case "tool:permission:request":
        speaker = undefined;
        if (showsQuestions && event.request.show.kind === "diff") asked.set(event.call.id, event.request.show.unified);
        return;
      default: {
        const drawn = drawEvent(event, style);
        row(drawn && wrapped(drawn, style.width));
      }
    }
  };
}
