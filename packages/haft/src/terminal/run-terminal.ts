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
import { saveMemory } from "./save-memory.ts";
import { PromptInput } from "./screen/prompt-input.ts";
import { isXtermJs } from "./screen/reflow.ts";
import { FRAME_MS, Screen } from "./screen/screen.ts";
import { askTheme, themeOf } from "./theme.ts";
import { createJobWatch } from "./watch-jobs.ts";

export interface TerminalOptions {
  /** The first prompt. */
  readonly prompt?: string | undefined;
  readonly cwd: string;
  /** Choose among the earlier conversations first. */
  readonly choose?: boolean;
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

/** Runs the terminal UI until the person leaves. */
export async function runTerminal(options: TerminalOptions): Promise<void> {
  saveMemory();
  const loading = import("./ink.ts");
  // A rejected import is reported where it is awaited.
  loading.catch(() => {});
  let theme =
    themeOf(process.env) ?? (options.style.color ? await askTheme(process.stdin, process.stdout) : undefined) ?? "dark";
  let { prompt, choose = false } = options;
  let resume: string | undefined;
  do {
    const ended = await runSession({ ...options, prompt, choose, resume, theme, ink: await loading });
    ({ resume, theme } = ended);
    prompt = undefined;
    choose = false;
  } while (resume !== undefined);
}

interface RunOptions extends TerminalOptions {
  readonly resume: string | undefined;
  readonly theme: Theme;
  readonly ink: typeof import("./ink.ts");
}

interface Ended {
  readonly resume: string | undefined;
  readonly theme: Theme;
}

async function runSession(options: RunOptions): Promise<Ended> {
  const { open, prompt, cwd, style: look, choose, flags, theme: first, ink } = options;
  let { resume } = options;
  let theme = first;
  let next: string | undefined;
  let session: AgentSession | undefined;
  let jobClock: NodeJS.Timeout | undefined;
  let schedules: AsyncDisposable | undefined;
  // No code is shown before there is a session.
  let highlighter: typeof import("../draw/rich/highlight.ts").highlighter | undefined;
  let hasLink = false;
  const canvas = new TerminalCanvas(options.canvasServer, () => {
    if (hasLink) return;
    hasLink = true;
    void showLink().then(
      (text) => screen.say(text),
      () => {},
    );
  });
  const showLink = async (): Promise<string> => canvasLink(style(), await canvas.link());
  let driver: Driver | undefined;
  let files: readonly string[] = [];
  let commands: ReturnType<typeof terminalCommands> = [];
  const early: Notice[] = [];
  const openedAt = Date.now();
  const { stdout } = process;
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const styleFor = (columns: number): Style => {
    const plain: Style = {
      ...look,
      width: columns,
      cwd,
      imageFile,
      markdown: drawMarkdown,
      ...(look.color ? { theme } : {}),
    };
    return look.color && highlighter ? { ...plain, highlight: highlighter(plain) } : plain;
  };
  const style = () => styleFor(size().columns);
  const state = stateFolder(homedir());
  const ofArgument = argumentProposals(() => {
    input.propose();
    screen.refresh();
  });
  const imageFile = (image: Image) => session && savedImage(image, join(state.session(cwd, session.id), "images"));
  const protocol = imageProtocol(process.env);
  const withJournal: WithJournal = async (work) => {
    const journal = journalOf(state, cwd);
    return work(journal).finally(() => journal.close());
  };
  const input = new PromptInput({
    history: openHistory(join(state.root, "history.jsonl")),
    proposals: (place) => {
      if (place.kind === "file") return files.map((text) => ({ text }));
      const known = [...commands, ...(session?.commands() ?? [])];
      if (place.kind === "argument") return ofArgument(known.find(({ name }) => name === place.command));
      return known.map(({ name, description }) => ({ text: name, about: description }));
    },
    submit: (typed) => driver?.submit(typed),
  });
  let lend: (work: () => Promise<void>) => Promise<void> = async () => {};
  let leave: () => void = () => {};
  let branch = gitBranch(cwd);
  const screen = new Screen({
    ...{ input, size, style: styleFor, now: Date.now },
    facts: () => ({
      model: session?.model?.name,
      mode: session?.haft.mode ?? "…",
      agent: session?.haft.role?.name,
      folder: display(homedir(), cwd).replace(/^(?!\/)/, "~/"),
      branch,
      money: session?.usage.money,
    }),
    onPrinted(row) {
      if (!protocol || !session || row.kind !== "call" || (row.startedAt ?? 0) < openedAt) return;
      const sequences = imagesIn(row.display).flatMap((image) => imageSequence(image, protocol) ?? []);
      // Not while the frame is being drawn.
      if (sequences.length > 0)
        setImmediate(() => void lend(async () => void stdout.write(`${sequences.join("\n")}\n`)).catch(() => {}));
    },
    async edit(part) {
      let text: string | undefined;
      await lend(async () => {
        const edited = await openEditor(part);
        if ("text" in edited) text = edited.text;
        else screen.hint(`${oneLine(edited.why)} Nothing has run.`);
      });
      return text;
    },
  });
  const page = (text: string) => lend(() => pager(text));
  const instance = openApp(
    ink,
    {
      screen,
      onKey: (press) => (driver ? driver.key(press) : screen.key(press)),
      onPaste: (text) => screen.paste(text),
      onReady: ({ suspend, exit }) => {
        lend = suspend;
        leave = exit;
      },
    },
    isXtermJs(process.env),
    { exitOnCtrlC: false, incrementalRendering: true, maxFps: 60, patchConsole: true },
  );
  const tellJobs = (live: AgentSession, endedJobs: () => readonly JobState[]): void => {
    const ended = endedJobs();
    for (const { id, command, exitCode, signal } of ended) {
      const how = signal === undefined ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
      screen.say(paint(style(), "dim", `  Background job ${id} ${how}: ${oneLine(command).slice(0, 200)}`));
    }
    if (ended.length > 0) screen.hear(jobsOf(live));
  };
  const clock = setInterval(() => {
    if (
      screen.view.status === "working" ||
      screen.view.rows.some((row) => row.kind === "call" && row.status === "running")
    )
      screen.refresh();
  }, FRAME_MS);
  try {
    if (choose) {
      resume = await new Promise<string | undefined>((chosen) => {
        const none = openResume(screen, earlierSessions({ cwd }), chosen);
        if (none !== undefined) chosen(undefined);
      });
      if (resume === undefined) return { resume, theme };
    }
    session = await open({
      ask: screen.ask,
      onNotice: (notice) => (session ? undefined : void early.push(notice)),
      canvas: canvas.board,
      ...(resume === undefined ? {} : { resume }),
    });
    const live = session;
    canvas.attach(live);
    ({ highlighter } = await import("../draw/rich/highlight.ts"));
    if (live.messages.length > 0) screen.resume(live.messages, recordedCalls(live.haft.session.path));
    for (const notice of early) screen.hear({ type: "notice", notice });
    const dryRuns = new Set<string>();
    live.on((event) => {
      screen.hear(event);
      if (event.type === "tool:execution:complete" && event.outcome.dryRun) dryRuns.add(event.call.id);
      if (event.type === "status") {
        if (event.status === "idle" && dryRuns.size > 0) {
          const calls = new Set(dryRuns);
          dryRuns.clear();
          void offerHeld(withJournal, screen, style, calls);
        }
        branch = gitBranch(cwd);
        screen.hear(jobsOf(live));
      }
    });
    const endedJobs = createJobWatch(() => live.haft.jobs.list());
    jobClock = setInterval(() => tellJobs(live, endedJobs), 500);
    const exit = (id?: string): void => {
      next = id;
      screen.close();
      void instance.waitUntilRenderFlush().then(() => leave());
    };
    commands = terminalCommands({
      ...{ session: live, screen, style, page, flags, withJournal, showLink, resume: exit },
      setTheme(wanted) {
        theme = wanted;
      },
      earlier: () => earlierSessions({ cwd }, live.id),
    });
    driver = new Driver({ session: live, screen, input, commands, style, exit, page });
    if (!live.model)
      screen.say(
        paint(
          style(),
          "yellow",
          `! ${inWords(`No model is configured. ${MODEL_CURE}`, size().columns - 2).replaceAll("\n", "\n  ")}`,
        ),
      );
    screen.refresh();
    void workspaceFiles(cwd).then((found) => {
      files = found;
    });
    const { schedulesBeside } = await import("../session/schedule/index.ts");
    schedules = schedulesBeside((notice) => screen.hear({ type: "notice", notice }), options.model);
    const first = prompt ?? initialPrompt(session);
    if (first !== undefined) driver.submit({ text: first, beginsPasted: true });
    await instance.waitUntilExit();
  } finally {
    clearInterval(clock);
    clearInterval(jobClock);
    instance.unmount();
    const words = session && next === undefined ? farewell(session) : "";
    await Promise.all([canvas.close(), schedules?.[Symbol.asyncDispose]()]);
    await session?.[Symbol.asyncDispose]();
    if (words !== "") stdout.write(`${words}\n`);
  }
  return { resume: next, theme };
}

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
