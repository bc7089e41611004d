import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Asker } from "@haft/core/approval";
import { type Canvas, display, type JobState } from "@haft/core/tool";
import { stateFolder } from "@haft/service";
import { MODEL_CURE } from "../agent/index.ts";
import { journalOf } from "../app/journal/open-journal.ts";
import type { Notice } from "../app/notice.ts";
import { webLink } from "../draw/place.ts";
import { drawMarkdown } from "../draw/rich/markdown.ts";
import { inWords } from "../draw/rows/spoken-text.ts";
import { oneLine } from "../draw/sanitize.ts";
import { paint, type Style, type Theme } from "../draw/style.ts";
import { gitBranch } from "../session/git-branch.ts";
import { type AgentSession, initialPrompt, recordedCalls } from "../session/index.ts";
import type { ViewEvent } from "../view/index.ts";
import { openApp } from "./app.ts";
import { openEditor } from "./approval/editor.ts";
import { type CanvasServer, TerminalCanvas } from "./canvas.ts";
import { terminalCommands } from "./commands/built-in.ts";
import { openHeld, type WithJournal } from "./commands/held.ts";
import { earlierSessions, openResume } from "./commands/resume.ts";
import { Driver, farewell } from "./driver.ts";
import { type Image, imageProtocol, imageSequence, imagesIn, savedImage } from "./images.ts";
import { argumentProposals } from "./input/argument-proposals.ts";
import { openHistory } from "./input/history.ts";
import { workspaceFiles } from "./input/workspace-files.ts";
import { PromptInput } from "./screen/prompt-input.ts";
import { isXtermJs } from "./screen/reflow.ts";
import { FRAME_MS, Screen } from "./screen/screen.ts";
import { createJobWatch } from "./watch-jobs.ts";

/** Milliseconds between looks at the background jobs. */
const JOBS_MS = 500;

/** Options of the terminal UI. */
export interface TerminalOptions {
  /** The first prompt. */
  readonly prompt?: string | undefined;
  readonly cwd: string;
  /** Choose among the earlier conversations first. */
  readonly choose?: boolean;
  /** The folder is temporary: the conversation cannot be resumed. */
  readonly isScratch: boolean;
  /** The model for schedules that run meanwhile, if the person has named one. */
  readonly model?: string | undefined;
  /** Options of this process for reports about the machine. */
  readonly flags: readonly string[];
  /** The look without a theme: colours, links. */
  readonly style: Pick<Style, "color" | "links">;
  /** Opens the session; with `resume`, that one. */
  open(hooks: {
    readonly ask: Asker;
    readonly onNotice: (notice: Notice) => void;
    readonly canvas: Canvas;
    readonly resume?: string;
  }): Promise<AgentSession>;
  /** Options of the server that shows the canvas. */
  canvasServer(): Promise<CanvasServer>;
}

/** Options of one session on the terminal. */
export interface TerminalSessionOptions extends TerminalOptions {
  readonly resume: string | undefined;
  readonly theme: Theme;
  readonly ink: typeof import("./ink.ts");
}

/** The end of a session on the terminal. */
export interface TerminalSessionEnd {
  readonly resume: string | undefined;
  readonly theme: Theme;
}

/** One session on the terminal, until the person leaves it or chooses another one. */
export class TerminalSession {
  readonly #options: TerminalSessionOptions;
  readonly #state = stateFolder(homedir());
  readonly #openedAt = Date.now();
  readonly #protocol = imageProtocol(process.env);
  /** Notices from before there is a session. */
  readonly #early: Notice[] = [];
  /** Calls of dry runs whose changes are held. */
  readonly #dryRuns = new Set<string>();
  readonly #canvas: TerminalCanvas;
  readonly #input: PromptInput;
  readonly #screen: Screen;
  readonly #instance: ReturnType<typeof openApp>;
  #theme: Theme;
  #branch: ReturnType<typeof gitBranch>;
  #files: readonly string[] = [];
  #commands: ReturnType<typeof terminalCommands> = [];
  #session: AgentSession | undefined;
  #driver: Driver | undefined;
  /** The session that follows this one. */
  #next: string | undefined;
  #hasLink = false;
  // No code is shown before there is a session.
  #highlighter: typeof import("../draw/rich/highlight.ts").highlighter | undefined;
  #lend: (work: () => Promise<void>) => Promise<void> = async () => {};
  #leave: () => void = () => {};

  constructor(options: TerminalSessionOptions) {
    this.#options = options;
    this.#theme = options.theme;
    this.#branch = gitBranch(options.cwd);
    this.#canvas = new TerminalCanvas(options.canvasServer, () => this.#tellLink());
    this.#input = this.#createInput();
    this.#screen = this.#createScreen();
    this.#instance = this.#createApp();
  }

  async run(): Promise<TerminalSessionEnd> {
    const { choose, model } = this.#options;
    let { resume } = this.#options;
    let schedules: AsyncDisposable | undefined;
    const timers = [setInterval(() => this.#animate(), FRAME_MS)];
    try {
      if (choose) {
        resume = await this.#chosen();
        if (resume === undefined) return { resume, theme: this.#theme };
      }
      const live = await this.#open(resume);
      const endedJobs = createJobWatch(() => live.haft.jobs.list());
      timers.push(setInterval(() => this.#tellJobs(live, endedJobs()), JOBS_MS));
      this.#drive(live);
      const { schedulesBeside } = await import("../session/schedule/index.ts");
      schedules = schedulesBeside((notice) => this.#screen.hear({ type: "notice", notice }), model);
      const first = this.#options.prompt ?? initialPrompt(live);
      if (first !== undefined) this.#driver?.submit({ text: first, beginsPasted: true });
      await this.#instance.waitUntilExit();
    } finally {
      for (const timer of timers) clearInterval(timer);
      this.#instance.unmount();
      const words = this.#session && this.#next === undefined ? farewell(this.#session, this.#options.isScratch) : "";
      await Promise.all([this.#canvas.close(), schedules?.[Symbol.asyncDispose]()]);
      await this.#session?.[Symbol.asyncDispose]();
      if (words !== "") process.stdout.write(`${words}\n`);
    }
    return { resume: this.#next, theme: this.#theme };
  }

  /** The earlier conversation that the person chooses, if any. */
  #chosen(): Promise<string | undefined> {
    return new Promise((chosen) => {
      const none = openResume(this.#screen, earlierSessions({ cwd: this.#options.cwd }), chosen);
      if (none !== undefined) chosen(undefined);
    });
  }

  async #open(resume: string | undefined): Promise<AgentSession> {
    const screen = this.#screen;
    const live = await this.#options.open({
      ask: screen.ask,
      onNotice: (notice) => (this.#session ? undefined : void this.#early.push(notice)),
      canvas: this.#canvas.board,
      ...(resume === undefined ? {} : { resume }),
    });
    this.#session = live;
    this.#canvas.attach(live);
    this.#highlighter = (await import("../draw/rich/highlight.ts")).highlighter;
    if (live.messages.length > 0) screen.resume(live.messages, recordedCalls(live.haft.session.path));
    for (const notice of this.#early) screen.hear({ type: "notice", notice });
    live.on((event) => {
      screen.hear(event);
      if (event.type === "tool:execution:complete" && event.outcome.dryRun) this.#dryRuns.add(event.call.id);
      if (event.type === "status") this.#onStatus(live, event.status === "idle");
    });
    return live;
  }

  #onStatus(live: AgentSession, isIdle: boolean): void {
    if (isIdle && this.#dryRuns.size > 0) {
      const calls = new Set(this.#dryRuns);
      this.#dryRuns.clear();
      void offerHeld(this.#withJournal, this.#screen, this.#style, calls);
    }
    this.#branch = gitBranch(this.#options.cwd);
    this.#screen.hear(jobsOf(live));
  }

  /** Lets the person drive the session: by prompts, commands and keys. */
  #drive(live: AgentSession): void {
    const { cwd, flags } = this.#options;
    const screen = this.#screen;
    const style = this.#style;
    const page = (text: string) => this.#lend(() => pager(text));
    const exit = (id?: string): void => {
      this.#next = id;
      screen.close();
      void this.#instance.waitUntilRenderFlush().then(() => this.#leave());
    };
    this.#commands = terminalCommands({
      ...{ session: live, screen, style, page, flags, withJournal: this.#withJournal, resume: exit },
      showLink: () => this.#link(),
      setTheme: (wanted) => {
        this.#theme = wanted;
      },
      earlier: () => earlierSessions({ cwd }, live.id),
    });
    this.#driver = new Driver({
      session: live,
      screen,
      input: this.#input,
      commands: this.#commands,
      style,
      exit,
      page,
    });
    if (!live.model) {
      const words = inWords(`No model is configured. ${MODEL_CURE}`, size().columns - 2);
      screen.say(paint(style(), "yellow", `! ${words.replaceAll("\n", "\n  ")}`));
    }
    screen.refresh();
    void workspaceFiles(cwd).then((found) => {
      this.#files = found;
    });
  }

  #createInput(): PromptInput {
    const ofArgument = argumentProposals(() => {
      this.#input.propose();
      this.#screen.refresh();
    });
    return new PromptInput({
      history: openHistory(join(this.#state.root, "history.jsonl")),
      proposals: (place) => {
        if (place.kind === "file") return this.#files.map((text) => ({ text }));
        const known = [...this.#commands, ...(this.#session?.commands() ?? [])];
        if (place.kind === "argument") return ofArgument(known.find(({ name }) => name === place.command));
        return known.map(({ name, description }) => ({ text: name, about: description }));
      },
      submit: (typed) => this.#driver?.submit(typed),
    });
  }

  #createScreen(): Screen {
    const { cwd } = this.#options;
    return new Screen({
      ...{ input: this.#input, size, style: (columns) => this.#styleFor(columns), now: Date.now },
      facts: () => ({
        model: this.#session?.model?.name,
        mode: this.#session?.haft.mode ?? "…",
        agent: this.#session?.haft.role?.name,
        folder: display(homedir(), cwd).replace(/^(?!\/)/, "~/"),
        branch: this.#branch,
        money: this.#session?.usage.money,
      }),
      onPrinted: (row) => {
        const isNew = row.kind === "call" && (row.startedAt ?? 0) >= this.#openedAt;
        if (isNew && this.#session) this.#printImages(imagesIn(row.display));
      },
      edit: (part) => this.#edit(part),
    });
  }

  #createApp(): ReturnType<typeof openApp> {
    return openApp(
      this.#options.ink,
      {
        screen: this.#screen,
        onKey: (press) => (this.#driver ? this.#driver.key(press) : this.#screen.key(press)),
        onPaste: (text) => this.#screen.paste(text),
        onReady: ({ suspend, exit }) => {
          this.#lend = suspend;
          this.#leave = exit;
        },
      },
      isXtermJs(process.env),
      { exitOnCtrlC: false, incrementalRendering: true, maxFps: 60, patchConsole: true },
    );
  }

  readonly #style = (): Style => this.#styleFor(size().columns);

  #styleFor(columns: number): Style {
    const { style: look, cwd } = this.#options;
    const plain: Style = {
      ...look,
      width: columns,
      cwd,
      imageFile: (image) => this.#imageFile(image),
      markdown: drawMarkdown,
      ...(look.color ? { theme: this.#theme } : {}),
    };
    return look.color && this.#highlighter ? { ...plain, highlight: this.#highlighter(plain) } : plain;
  }

  #imageFile(image: Image): string | undefined {
    const { cwd } = this.#options;
    return this.#session && savedImage(image, join(this.#state.session(cwd, this.#session.id), "images"));
  }

  #printImages(images: readonly Image[]): void {
    const protocol = this.#protocol;
    const sequences = protocol ? images.flatMap((image) => imageSequence(image, protocol) ?? []) : [];
    if (sequences.length === 0) return;
    const print = async () => void process.stdout.write(`${sequences.join("\n")}\n`);
    // Not while the frame is being drawn.
    setImmediate(() => void this.#lend(print).catch(() => {}));
  }

  async #edit(part: Parameters<typeof openEditor>[0]): Promise<string | undefined> {
    let text: string | undefined;
    await this.#lend(async () => {
      const edited = await openEditor(part);
      if ("text" in edited) text = edited.text;
      else this.#screen.hint(`${oneLine(edited.why)} Nothing has run.`);
    });
    return text;
  }

  readonly #withJournal: WithJournal = async (work) => {
    const journal = journalOf(this.#state, this.#options.cwd);
    return work(journal).finally(() => journal.close());
  };

  /** Shows the way to the canvas once. */
  #tellLink(): void {
    if (this.#hasLink) return;
    this.#hasLink = true;
    void this.#link().then(
      (text) => this.#screen.say(text),
      () => {},
    );
  }

  async #link(): Promise<string> {
    return canvasLink(this.#style(), await this.#canvas.link());
  }

  #tellJobs(live: AgentSession, ended: readonly JobState[]): void {
    for (const { id, command, exitCode, signal } of ended) {
      const how = signal === undefined ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
      const words = `  Background job ${id} ${how}: ${oneLine(command).slice(0, 200)}`;
      this.#screen.say(paint(this.#style(), "dim", words));
    }
    if (ended.length > 0) this.#screen.hear(jobsOf(live));
  }

  #animate(): void {
    const { status, rows } = this.#screen.view;
    if (status === "working" || rows.some((row) => row.kind === "call" && row.status === "running"))
      this.#screen.refresh();
  }
}

const size = () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 });

const jobsOf = ({ haft }: AgentSession): ViewEvent => ({
  type: "jobs",
  jobs: haft.jobs.list().map(({ id, command, status }) => ({ id, title: command, status })),
});

/** The way to the canvas: a link where the terminal follows links, and the address for copying. */
const canvasLink = (style: Style, link: string): string =>
  `! The canvas is here: ${webLink(style, link, "open it in your browser")}\n  ${paint(style, "dim", webLink(style, link, link))}`;

/** Asks about the changes of dry runs when the agent has come to rest, unless the person is writing. */
async function offerHeld(
  withJournal: WithJournal,
  screen: Screen,
  style: () => Style,
  calls: ReadonlySet<string>,
): Promise<void> {
  if (screen.isAsking || screen.isTyping)
    screen.hint("The dry run's changes are held: /held applies or discards them.");
  else await openHeld(withJournal, screen, style, calls).catch(() => {});
}

/** Shows a text in the person's pager, from its end. */
function pager(text: string): Promise<void> {
  const program = process.env.PAGER || "less -R +G";
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", program], {
      stdio: ["pipe", "inherit", "inherit"],
      env: { ...process.env, LESSSECURE: "1", LESSCHARSET: "utf-8" },
    });
    child.once("error", () => resolve());
    child.once("close", () => resolve());
    // A person may leave the pager before it has read everything.
    child.stdin.on("error", () => {});
    child.stdin.end(`${text}\n`);
  });
}
