import type { CallEvent } from "@haft/core/executor";
import { drawDisplay, indent } from "../display.ts";
import { drawResult } from "../outcome.ts";
import { oneLine } from "../sanitize.ts";
import { paint, type Style, wrapped } from "../style.ts";
import { type DrawnBefore, drawEvent, type EndEvent } from "./event-row.ts";
import { LiveOutput } from "./live-output.ts";

/**
 * Milliseconds between two rows of one call: lines are only ever appended, and a chatty server must not push all else
 * away.
 */
const PAUSE_MS = 1_000;

/** Milliseconds after which a running call is shown with its output. A shorter one is shown once, at its end. */
const LIVE_AFTER_MS = 700;

/** The clock of the rows. */
export interface RowClock {
  now(): number;
  /** Schedules work; the returned function cancels it. */
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
  /** Receives each row, without its line break. */
  readonly print: (row: string) => void;
  /** Questions appear in the same terminal, so a diff that was asked about is not shown again. */
  readonly showsQuestions?: boolean;
  /** Show results in full: a person has called the tool. */
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

/** Draws events in sequence, live output of long calls, and the progress of calls. */
export function eventRows(options: RowOptions): (event: CallEvent) => void {
  const rows = new EventRows(options);
  return (event) => rows.draw(event);
}

class EventRows {
  readonly #options: RowOptions;
  readonly #clock: RowClock;
  readonly #told = new Map<string, { readonly at: number; readonly row: string }>();
  readonly #running = new Map<string, Running>();
  /** Diffs already shown in a question. */
  readonly #asked = new Map<string, string>();
  /** The call with the latest output: output of another call starts with its name. */
  #speaker: string | undefined;

  constructor(options: RowOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
  }

  draw(event: CallEvent): void {
    switch (event.type) {
      case "tool:execution:start":
        this.#start(event);
        break;
      case "tool:execution:progress":
        this.#progress(event);
        break;
      case "tool:execution:complete":
      case "tool:execution:error":
        this.#end(event);
        break;
      case "tool:permission:request": {
        const { show } = event.request;
        this.#speaker = undefined;
        if (this.#options.showsQuestions && show.kind === "diff") this.#asked.set(event.call.id, show.unified);
        break;
      }
      default:
        this.#row(drawEvent(event, this.#options.style));
    }
  }

  #row(text: string | undefined, of?: string): void {
    if (text === undefined || text === "") return;
    this.#speaker = of;
    this.#options.print(wrapped(text, this.#options.style.width));
  }

  #dim(text: string): string {
    return paint(this.#options.style, "dim", text);
  }

  #start(event: Extract<CallEvent, { type: "tool:execution:start" }>): void {
    const { id } = event.call;
    const drawn = drawEvent(event, this.#options.style);
    this.#row(drawn, id);
    this.#running.set(id, {
      activity: event.activity,
      output: new LiveOutput(this.#options.style),
      callOff: this.#clock.after(LIVE_AFTER_MS, () => this.#goLive(id)),
      isAnnounced: drawn !== undefined,
      isLive: false,
    });
  }

  #goLive(id: string): void {
    const call = this.#running.get(id);
    if (!call) return;
    call.isLive = true;
    if (!call.isAnnounced) this.#announce(id, call);
    this.#speak(id, call);
  }

  #announce(id: string, call: Running): void {
    this.#row(this.#dim(`… ${oneLine(call.activity)}`), id);
    call.isAnnounced = true;
  }

  #speak(id: string, call: Running): void {
    const lines = call.output.take(this.#clock.now());
    if (lines === undefined) return;
    if (this.#speaker !== id) this.#announce(id, call);
    this.#row(lines, id);
  }

  #progress({ call: { id }, progress }: Extract<CallEvent, { type: "tool:execution:progress" }>): void {
    const call = this.#running.get(id);
    if (call && progress.output) {
      call.output.add(progress.output);
      if (call.isLive) this.#speak(id, call);
    }
    const { display } = progress;
    if (display?.kind !== "progress") return;
    const row = this.#dim(indent(drawDisplay(display, this.#options.style)));
    const before = this.#told.get(id);
    const at = this.#clock.now();
    if (before && (before.row === row || at - before.at < PAUSE_MS)) return;
    this.#told.set(id, { at, row });
    this.#row(row);
  }

  #end(event: EndEvent): void {
    const { id } = event.call;
    const { style, wholeResults } = this.#options;
    const call = this.#running.get(id);
    call?.callOff();
    this.#running.delete(id);
    this.#told.delete(id);
    const before = this.#drawnBefore(event, call);
    this.#asked.delete(id);
    if (wholeResults && !before && event.type === "tool:execution:complete")
      this.#options.print(drawResult(event.outcome.result, style));
    else this.#row(drawEvent(event, style, before));
  }

  #drawnBefore(event: EndEvent, call: Running | undefined): DrawnBefore {
    const { content } = event;
    const { id } = event.call;
    if (content.kind === "diff" && !content.notes && this.#asked.get(id) === content.unified) return "diff";
    if (content.kind !== "terminal" || !call?.output.hasDrawn) return undefined;
    const rest = call.output.rest(content.text);
    if (rest !== undefined && this.#speaker !== id) this.#announce(id, call);
    this.#row(rest, id);
    return "output";
  }
}
