import type { Answer, ApprovalRequest, Asker } from "@haft/core/approval";
import { counted, type Display } from "@haft/core/tool";
import { withoutReview } from "@haft/journal/capture";
import type { Message } from "../../agent/index.ts";
import type { RowMoment } from "../../draw/rows/call-row.ts";
import { drawRow } from "../../draw/rows/view-row.ts";
import { paint, type Style } from "../../draw/style.ts";
import type { RecordedCall } from "../../session/index.ts";
import {
  emptyView,
  foldEvent,
  type SessionView,
  type ShownRow,
  type ViewEvent,
  viewOfMessages,
} from "../../view/index.ts";
import type { EditablePart } from "../approval/editable.ts";
import type { KeyPress } from "../input/key-press.ts";
import { ApprovalDialog } from "./approval-dialog.ts";
import type { Dialog } from "./dialog.ts";
import { FormDialog } from "./form-dialog.ts";
import { liveRows, queueLines, todoLines, workLine } from "./live.ts";
import type { PromptInput } from "./prompt-input.ts";
import { type Printed, Scrollback } from "./scrollback.ts";
import { type StatusFacts, statusLine } from "./status-line.ts";

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Milliseconds of one image of the spinner. */
export const FRAME_MS = 100;

export interface ScreenOptions {
  readonly input: PromptInput;
  readonly now: () => number;
  readonly size: () => { readonly columns: number; readonly rows: number };
  readonly style: (columns: number) => Style;
  facts(): Omit<StatusFacts, "view">;
  /** Lets the person change a text in their editor; `undefined`: it stays as it is. */
  edit(part: EditablePart): Promise<string | undefined>;
  /** A row is complete, and in the scrollback. */
  onPrinted?(row: ShownRow): void;
}

/** The rows that a conversation of an earlier process begins with. All of a long one would take seconds. */
const RESUMED_ROWS = 200;

interface Question {
  readonly request: ApprovalRequest;
  readonly dialog: Dialog;
}

/** The state of the terminal UI: the view of the session, what is asked, and what is drawn. Knows no terminal. */
export class Screen {
  readonly #options: ScreenOptions;
  readonly #scrollback: Scrollback;
  readonly #listeners = new Set<() => void>();
  readonly #drawnDiffs = new Set<string>();
  /** The calls whose changes a dialog shows when the agent has come to rest. */
  readonly #dryRuns = new Set<string>();
  /** The rows of the calls that the person has undone here. */
  readonly undone = new Set<string>();
  #view: SessionView = emptyView;
  #questions: Question[] = [];
  /** A list or page that the person has opened. */
  #dialog: Dialog | undefined;
  #isClosed = false;
  #hint = "";
  #typedAt = Number.NEGATIVE_INFINITY;
  #workingSince = 0;
  #version = 0;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#scrollback = new Scrollback((row) => options.onPrinted?.(row));
  }

  get view(): SessionView {
    return this.#view;
  }
  get printed(): readonly Printed[] {
    return this.#scrollback.printed;
  }
  /** Changes whenever the screen has to be redrawn. */
  get version(): number {
    return this.#version;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Redraws, also for the clock. */
  refresh(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  /** Takes over the conversation of an earlier process. */
  resume(messages: readonly Message[], calls: readonly RecordedCall[]): void {
    this.#view = viewOfMessages(messages, calls);
    const skipped = this.#scrollback.skip(this.#view, RESUMED_ROWS);
    if (skipped > 0) {
      const style = this.#options.style(this.#options.size().columns);
      this.#scrollback.add(
        paint(style, "dim", `  ${counted(skipped, "earlier row")}: Ctrl-O shows the whole conversation.`),
      );
    }
    this.refresh();
  }

  hear(event: ViewEvent): void {
    const { now } = this.#options;
    if (event.type === "status" && event.status === "working") this.#workingSince = now();
    if (event.type === "tool:execution:complete" && event.outcome.dryRun) this.#dryRuns.add(event.call.id);
    this.#view = foldEvent(this.#view, event, now());
    this.refresh();
  }

  /** Prints a text of Haft's own. */
  say(text: string): void {
    this.#scrollback.add(text);
    this.refresh();
  }

  /** A short remark above the status line, until the next key. */
  hint(text: string): void {
    this.#hint = text;
    this.refresh();
  }

  /** Takes the live lines away: only the scrollback stays. */
  close(): void {
    this.#isClosed = true;
    this.refresh();
  }

  open(dialog: Dialog | undefined): void {
    this.#dialog = dialog;
    this.refresh();
  }

  /** Asks the person. Questions wait for each other. */
  readonly ask: Asker = (request, signal) =>
    new Promise((resolve) => {
      const end = (answer: Answer | undefined): void => {
        signal.removeEventListener("abort", withdraw);
        this.#questions = this.#questions.filter((one) => one !== question);
        resolve(answer);
        this.refresh();
      };
      const withdraw = (): void => end(undefined);
      const question: Question = { request, dialog: this.#dialogFor(request, end) };
      if (signal.aborted) return resolve(undefined);
      signal.addEventListener("abort", withdraw, { once: true });
      this.#questions.push(question);
      this.refresh();
    });

  #dialogFor(request: ApprovalRequest, end: (answer: Answer) => void): Dialog {
    const { form } = request;
    if (form && Object.keys(form.properties).length > 0) return new FormDialog({ ...request, form }, end);
    const { now, edit } = this.#options;
    return new ApprovalDialog({
      ...{ request, now, typedAt: this.#typedAt, answer: end },
      place: () => (this.#questions.length > 1 ? `1 of ${this.#questions.length}` : ""),
      edit: (part) => {
        // A changed call is a new one: it is checked and decided again, and shown before it runs.
        void edit(part).then((text) => {
          if (text !== undefined) end({ behavior: "allow", input: part.apply(text), review: true });
        });
      },
    });
  }

  /** A question that is longer than the screen, or has become so, goes to the scrollback, and is drawn once only. */
  #showAbove(style: Style, rows: number): void {
    const next = this.#questions[0];
    const above = next?.dialog.above?.(style, rows - 2);
    if (next === undefined || above === undefined) return;
    this.#scrollback.add(above);
    this.#drawnDiffs.add(next.request.callId);
  }

  key(press: KeyPress): boolean {
    const dialog = this.#dialog ?? this.#questions[0]?.dialog;
    this.#hint = "";
    if (dialog) dialog.key(press);
    else if (!this.#options.input.key(press)) return false;
    // Nobody who has just sent a prompt is in the middle of a word.
    else this.#typedAt = this.#options.input.text === "" ? Number.NEGATIVE_INFINITY : this.#options.now();
    this.refresh();
    return true;
  }

  paste(text: string): void {
    const dialog = this.#dialog ?? this.#questions[0]?.dialog;
    if (dialog) dialog.paste?.(text);
    else this.#options.input.paste(text);
    this.refresh();
  }

  /** Whether keys go to a question or a list, not to the prompt. */
  get isAsking(): boolean {
    return this.#dialog !== undefined || this.#questions.length > 0;
  }

  /** Whether the prompt has text. */
  get isTyping(): boolean {
    return this.#options.input.text !== "";
  }

  /** The lines below the scrollback. Always fewer than the terminal has. */
  frame(): readonly string[] {
    const { now, size, style: styleOf, facts } = this.#options;
    const { columns, rows } = size();
    const style = styleOf(columns);
    const moment = this.#moment(now());
    const open = this.#scrollback.take(this.#view, style, moment);
    if (this.#isClosed) return [];
    this.#showAbove(style, rows);
    const most = Math.max(1, rows - 1);
    const dialog = this.#dialog ?? this.#questions[0]?.dialog;
    const status = rows < 4 ? [] : [statusLine({ ...facts(), view: this.#view }, style)];
    const bottom = dialog ? ["", ...dialog.lines(style, most - 2)] : this.#inputLines(style, most - status.length);
    const left = most - bottom.length - status.length;
    const above = this.#working(open, style, moment, left);
    return [...above, ...bottom, ...status].slice(-most);
  }

  #inputLines(style: Style, room: number): readonly string[] {
    const hint = this.#hint === "" ? [] : [paint(style, "yellow", `  ${this.#hint}`)];
    const lines = this.#options.input.lines(style, Math.max(1, Math.min(12, room - hint.length - 1)));
    return [...(room > 4 ? [""] : []), ...lines, ...hint];
  }

  /** The running rows, the steps of the work, and what waits. */
  #working(open: ReturnType<Scrollback["take"]>, style: Style, moment: RowMoment, room: number): readonly string[] {
    if (room < 1) return [];
    // A question says what it is about, and that the agent waits for it.
    const isAsking = this.#questions.length > 0;
    const isWorking = this.#view.status === "working" && !isAsking;
    const extra = isWorking
      ? [
          ...todoLines(this.#view, style),
          workLine(this.#view, open, style, moment, this.#workingSince),
          ...queueLines(this.#view, style),
        ]
      : [];
    const shown = extra.slice(-Math.max(1, room - 1));
    const drawn = isAsking ? open.filter((row) => row.kind !== "call" || row.status !== "asking") : open;
    const rows = liveRows(drawn, style, moment, Math.max(0, room - shown.length - 2));
    return [
      ...(rows.length > 0 && room > rows.length + shown.length ? [""] : []),
      ...rows,
      ...(shown.length > 0 && room > rows.length + shown.length + 1 ? [""] : []),
      ...shown,
    ];
  }

  #moment(now: number): RowMoment {
    const spinner = SPINNER[Math.floor(now / FRAME_MS) % SPINNER.length]!;
    return {
      now,
      spinner,
      wasDrawn: ({ callId }) => this.#drawnDiffs.has(callId),
      shortened: ({ callId, display }) => (this.#dryRuns.has(callId) ? withoutHeld(display) : undefined),
      showsTodos: this.#view.status === "working",
    };
  }

  /** The whole session as text, with nothing left out. */
  transcript(): string {
    const style = this.#options.style(this.#options.size().columns);
    const moment: RowMoment = { ...this.#moment(this.#options.now()), isWhole: true };
    return this.#view.rows.map((row) => drawRow(row, style, moment)).join("\n\n");
  }
}

/** The output of a dry run; the dialog about its changes shows them. */
function withoutHeld(display: Display | undefined): Display | undefined {
  if (display?.kind !== "terminal") return undefined;
  const output = withoutReview(display.text);
  if (output === display.text) return undefined;
  return {
    ...display,
    text: `${output.trimEnd()}\nNothing of it is applied yet: /held shows, applies or discards it.`.trimStart(),
  };
}
